import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { WordBadge } from './WordBadge';

function show(hasInterval: boolean, power: number | null) {
  render(
    <MantineProvider>
      <WordBadge word="inconclusive" power={power} hasInterval={hasInterval} basis="5 pairs" />
    </MantineProvider>,
  );
}

describe('an inconclusive comparison', () => {
  it('reads as in the sentences, with the power of its test', () => {
    show(true, 0.42);

    expect(screen.getByText('no significant difference').textContent).toContain('power 42 %');
    expect(screen.queryByText('inconclusive')).toBeNull();
  });

  it('shows that too few trials have no interval', () => {
    show(false, null);

    expect(screen.getByText('inconclusive').textContent).toContain('too few trials');
  });
});
