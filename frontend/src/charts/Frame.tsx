import { type ComponentType, createContext, type ReactNode, Suspense, use, useState } from 'react';
import { LoadingState } from '@/components/States';
import classes from './Frame.module.css';
import { NOT_DRAWN } from './not-drawn';
import { type Reading, Readout } from './Readout';

/** Where a chart draws its readout. */
export const Strip = createContext<HTMLElement | null>(null);

/** Whether the figure around a chart is near the visible part of the page. */
export const NearContext = createContext(true);

/** The name of a chart for screen readers, and the id of its caption. */
export const DescriptionContext = createContext<{
  'aria-label'?: string;
  'aria-describedby'?: string;
}>({});

/** The frame of a chart, which takes its space before the chart is drawn. */
export interface Frame {
  /** Height of the drawing, in px. */
  height: number;
  readings: readonly Reading[];
  isRoomy?: boolean;
  /** Between drawing and readout. */
  note?: ReactNode;
  /** Drawn until the chart is there; by default an empty space. */
  outline?: (isLoading: boolean) => ReactNode;
}

interface FramedProps {
  /** Whether the data of the chart is still being loaded. */
  isLoading?: boolean;
  /** Number of lines while the data is being loaded, if the lines come with the data. */
  expected?: number;
  /** Shown instead of the chart if it has nothing to show. */
  empty?: ReactNode;
}

function outlineLoading(isLoading: boolean): ReactNode {
  return isLoading && <Loading />;
}

/**
 * Return a chart that is drawn when its data is there and it is near the visible part of the page.
 * Until then its frame takes the same space, so that nothing moves when the chart appears.
 */
export function framed<Props extends object>(
  Chart: ComponentType<Props>,
  frameOf: (props: Props) => Frame,
): ComponentType<Props & FramedProps> {
  return function Framed({
    isLoading = false,
    expected = 0,
    empty = null,
    ...rest
  }: Props & FramedProps) {
    const props = rest as unknown as Props;
    const isNear = use(NearContext);
    const frame = frameOf(props);
    const outline = frame.outline ?? outlineLoading;
    const missing = isLoading ? Math.max(0, expected - frame.readings.length) : 0;
    return (
      <ChartFrame {...frame} readings={[...frame.readings, ...blankReadings(missing)]}>
        {!isNear || isLoading
          ? outline(isNear)
          : (empty ?? (
              <Suspense fallback={outline(true)}>
                <Chart {...props} />
              </Suspense>
            ))}
      </ChartFrame>
    );
  };
}

function ChartFrame({
  height,
  readings,
  isRoomy = false,
  note,
  children,
}: Frame & { children: ReactNode }) {
  const [strip, setStrip] = useState<HTMLElement | null>(null);
  return (
    <Strip value={strip}>
      <div style={{ minHeight: height }}>{children}</div>
      {note}
      <div className={classes.strip} {...NOT_DRAWN}>
        <div className={classes.space} aria-hidden>
          <Readout heading={null} readings={readings} isRoomy={isRoomy} />
        </div>
        <div ref={setStrip} />
      </div>
    </Strip>
  );
}

function blankReadings(count: number): Reading[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `blank ${index}`,
    name: '',
    colour: 0,
    value: '',
  }));
}

/** Lower than the drawings of all charts. */
function Loading() {
  return <LoadingState lines={6} height={24} />;
}
