import { Slider } from '@mantine/core';
import { startTransition, useState } from 'react';
import ui from '@/components/ui.module.css';
import { formatCount } from '@/lib/format';
import classes from './Controls.module.css';

const MARKS = [
  { value: -8, label: 'Fewer' },
  { value: -4, label: 'Default' },
  { value: -2, label: 'More' },
];

interface SensitivityProps {
  pValue: number;
  changes: number;
  onDrag: (pValue: number) => void;
  onChoose: (pValue: number) => void;
}

/** Slider for the p-value below which a shift counts as a change point. The chart follows while the handle is dragged. */
export function Sensitivity(props: SensitivityProps) {
  const { changes, onDrag, onChoose } = props;
  // The handle moves at once; the chart follows.
  const [held, setHeld] = useState<number | null>(null);
  const pValue = held ?? props.pValue;
  return (
    <section className={classes.control} aria-labelledby="sensitivity">
      <div className={classes.head}>
        <span id="sensitivity">Sensitivity</span>
        <output className={ui.small}>
          p ≤ {shownP(pValue)} · {formatCount(changes, 'level shift')}
        </output>
      </div>
      <Slider
        className={classes.marked}
        thumbLabel="Sensitivity of the detection"
        min={-8}
        max={-2}
        step={0.5}
        value={Math.log10(pValue)}
        label={null}
        marks={MARKS}
        onChange={(exponent) => {
          setHeld(toP(exponent));
          startTransition(() => {
            onDrag(toP(exponent));
          });
        }}
        onChangeEnd={(exponent) => {
          startTransition(() => {
            setHeld(null);
            onChoose(toP(exponent));
          });
        }}
      />
    </section>
  );
}

/** Two digits are enough, and keep the URL short. */
function toP(exponent: number): number {
  return Number((10 ** exponent).toPrecision(2));
}

function shownP(pValue: number): string {
  const [figure = '', exponent = ''] = pValue.toExponential(0).split('e-');
  return `${figure === '1' ? '' : `${figure} · `}10⁻${superscript(exponent)}`;
}

function superscript(digits: string): string {
  return digits.replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit)));
}
