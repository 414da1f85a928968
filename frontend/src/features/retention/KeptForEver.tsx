import { Box } from '@mantine/core';

/** Explains what retention removes, and what it never removes. */
export function KeptForEver() {
  return (
    <Box component="p" maw={640} m="0 0 16px">
      Days count from the end of a run. Seconds are removed by whole months, logs by the day. This
      cannot be undone. Answers, estimates, distributions and the values of each trial are kept for
      ever. Runs of studies, runs in saved comparisons, and runs before and after a detected change
      keep everything.
    </Box>
  );
}
