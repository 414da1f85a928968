import { MantineProvider } from '@mantine/core';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import type { Answer } from '@/api/schema';
import cases from './answer-cases.json';
import { AnswerCard } from './AnswerCard';
import { readEmbeddedAnswer } from './embedded';
import { outlineOf } from './outline';
import { spokenOf } from './spoken';

function answerOf(name: string): Answer {
  const found = cases.find((item) => item.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found.answer as Answer;
}

function show(answer: Answer, onPick?: (group: string) => void) {
  return render(
    <MantineProvider env="test">
      <AnswerCard answer={answer} onPick={onPick} />
    </MantineProvider>,
  );
}

describe('the card', () => {
  // backend/tests/api/results/sharing/test_answer_card.py compares the server's HTML with the same lines.
  test.each(cases)('has the markup of the server: $name', ({ answer, outline }) => {
    const { container } = render(<AnswerCard answer={answer as Answer} />);
    expect(outlineOf(container)).toEqual(outline);
  });

  test('is read by a screen reader as in the file', async () => {
    const spoken = ['ranking with one excluded result', 'eight frameworks and three scenarios']
      .map((name) => spokenOf(show(answerOf(name)).container).join('\n'))
      .join('\n\n');
    await expect(`${spoken}\n`).toMatchFileSnapshot('./answer-spoken.txt');
  });

  test('shows the chosen column of the ratios on a phone', async () => {
    show(answerOf('eight frameworks and three scenarios'));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Column' }), 'Chain');
    const heads = screen.getAllByRole('columnheader').slice(1);
    expect(heads.map((head) => head.dataset.shown)).toEqual(['false', 'false', 'true']);
  });

  test('shows the ranks, and why a result has none', () => {
    show(answerOf('ranking with one excluded result'));
    const rows = screen.getAllByRole('listitem').filter(({ className }) => className !== '');
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringContaining('61 µs'),
      expect.stringContaining('cannot be told apart yet'),
      expect.stringContaining('1.54× [1.50, 1.58]'),
      expect.stringContaining('excluded: too many errors'),
    ]);
  });

  test('shows one line of warnings, which opens', async () => {
    show(answerOf('ranking with one excluded result'));
    const summary = screen.getByText(/^1 of 4 results is excluded/, { selector: 'summary' });
    await userEvent.click(summary);
    expect(summary.closest('details')?.open).toBe(true);
    expect(screen.getByText('12 % of the requests failed.')).toBeTruthy();
  });

  test('states why a run is not usable, and offers the run that would be', () => {
    show(answerOf('values instead of intervals below three trials'));
    expect(screen.getByText(/a conclusion needs at least 3/)).toBeTruthy();
    const remedy = screen.getByRole('link', { name: 'Run again with 5 trials' });
    expect(remedy.getAttribute('href')).toMatch(/^\/runs\/new\?cells=hello\.node/);
    expect(screen.getByText('60, 62 µs')).toBeTruthy();
  });

  test('folds the ranks after the third', () => {
    show(answerOf('eight frameworks and three scenarios'));
    const fold = screen.getByText('5 more').closest('details');
    expect(within(fold as HTMLElement).getAllByRole('listitem', { hidden: true })).toHaveLength(5);
  });

  test('shows a group of the run when its label is pressed', async () => {
    const pick = vi.fn();
    show(answerOf('eight frameworks and three scenarios'), pick);
    const table = screen.getByRole('table');
    await userEvent.click(within(table).getByRole('link', { name: 'Chain' }));
    expect(pick).toHaveBeenCalledWith('chain.rate-quick');
  });
});

describe('the answer in the page', () => {
  test('is read with the name of its run', () => {
    const page = document.implementation.createHTMLDocument();
    const answer = answerOf('load in steps');
    const script = page.createElement('script');
    script.id = 'tacho-answer';
    script.type = 'application/json';
    script.dataset.run = 'k3v9q2mx4d';
    script.textContent = JSON.stringify(answer);
    page.body.append(script);
    expect(readEmbeddedAnswer(page)).toEqual({ run: 'k3v9q2mx4d', answer });
  });

  test('is missing on other pages', () =>
    expect(readEmbeddedAnswer(document.implementation.createHTMLDocument())).toBeNull());
});
