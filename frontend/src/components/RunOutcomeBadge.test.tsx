import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { RunOutcomeBadge } from './RunOutcomeBadge';

it.each([
  ['succeeded', 'usable', 'usable'],
  ['succeeded', 'not_usable', 'not usable'],
  ['succeeded', null, 'succeeded'],
  ['failed', 'usable_with_warnings', 'usable with warnings'],
  ['failed', 'not_usable', 'failed'],
  ['cancelled', 'usable', 'cancelled'],
] as const)('shows a %s run with the outcome %s as %s', (status, outcome, shown) => {
  render(<RunOutcomeBadge run={{ status, outcome }} />);

  expect(screen.queryByText(shown)).not.toBeNull();
});
