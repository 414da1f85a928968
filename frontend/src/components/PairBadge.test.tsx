import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type FoundPair, PairBadge } from './PairBadge';

const FOUND: FoundPair = {
  state: 'cannot_be_told_apart_yet',
  is_better: null,
  words: 'cannot be told apart yet',
  explanation: 'Between 8 % lower and 86 % higher. About 12 trials each would decide.',
  method: 'paired',
  n: 5,
};

function show(found: Partial<FoundPair>) {
  render(
    <MantineProvider>
      <PairBadge found={{ ...FOUND, ...found }} />
    </MantineProvider>,
  );
}

describe('a pair of results', () => {
  it('shows the range that is still possible and what would decide', () => {
    show({});

    expect(screen.getByText('cannot be told apart yet')).toBeTruthy();
    expect(screen.getByText(/Between 8 % lower and 86 % higher\. About 12 trials/)).toBeTruthy();
  });

  it.each([
    [true, 'better'],
    [false, 'worse'],
  ])('shows the direction of a difference, and whether it is better: %s', (isBetter, judged) => {
    show({ state: 'difference', is_better: isBetter, words: 'lower', explanation: null });

    expect(screen.getByText('lower')).toBeTruthy();
    expect(screen.getByText(judged)).toBeTruthy();
  });

  it('does not call a result better or worse that is not comparable', () => {
    show({ state: 'not_comparable', words: 'not comparable', explanation: null });

    expect(screen.getByText('not comparable').textContent).toBe('not comparable');
  });
});
