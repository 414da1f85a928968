import { Box, Checkbox, VisuallyHidden } from '@mantine/core';
import classes from './ChoiceCell.module.css';

interface ChoiceCellProps {
  framework: string;
  scenario: string;
  /** Whether only one scenario is chosen, so that its name is not repeated in each row. */
  isAlone: boolean;
  checked: boolean;
  isImplemented: boolean;
  /** Whether the framework cannot run on the chosen host. */
  isUnable: boolean;
  problem: string | undefined;
  onToggle: () => void;
}

/** Draws the checkbox of a framework under a scenario; a dash if the framework does not implement it. */
export function ChoiceCell(props: ChoiceCellProps) {
  const { framework, scenario, isAlone, checked, isImplemented, isUnable, problem } = props;
  const label = `${framework}, ${scenario}`;
  const missing = `does not implement ${scenario}`;
  // A link may select it anyway; then it can be removed.
  if (!isImplemented && !checked) {
    return (
      <div className={classes.missing}>
        <span aria-hidden>–</span>
        <VisuallyHidden>{missing}</VisuallyHidden>
      </div>
    );
  }
  const cannot = isUnable || !isImplemented;
  return (
    <label className={classes.cell} data-checked={checked} data-unable={cannot}>
      <Checkbox
        aria-label={label}
        checked={checked}
        disabled={cannot && !checked}
        error={problem !== undefined}
        onChange={props.onToggle}
      />
      {!isAlone && (
        <span className={classes.scenario} aria-hidden>
          {scenario}
        </span>
      )}
      {!isImplemented && (
        <Box component="span" c="var(--tacho-ink-faint)">
          {missing}
        </Box>
      )}
      {problem !== undefined && (
        <Box component="span" c="var(--tacho-bad)">
          {problem}
        </Box>
      )}
    </label>
  );
}
