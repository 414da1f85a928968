import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import type { ScriptOutcome } from '@/api/schema';
import { onChange, respond } from '@/testing/api';
import { changeOf, guard, guardOf, loadOf, reportOf, unknownOf } from '@/testing/documents/guards';
import { signedInAs } from '@/testing/documents/sessions';
import { openPage } from '@/testing/page';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

const PATH = '/api/v1/guards/{slug}';
const URL = `/guards/${guard.slug}`;

/** Return the texts of the rows of a table, below its head. */
async function rowsOf(name: string): Promise<(string | null)[]> {
  const table = await screen.findByRole('table', { name });
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);
}

/** Return what a script tested whose check passed so often for the head. */
function scriptOf(passes: number): ScriptOutcome {
  return {
    trials: 9,
    checks: [
      {
        name: 'is 200',
        base: { passes: 5000, fails: 0 },
        head: { passes, fails: 5000 - passes },
      },
    ],
    thresholds: [{ metric: 'wait', threshold: 'p(95)<200', base: 9, head: 3 }],
    metrics: ['wait'],
  };
}

describe('the page of a guard', () => {
  testWaitingAndErrors(URL, PATH, guard, 'Cache the price list');
  testMissing(URL, PATH, /There is no guard/);

  test('shows the verdict, both versions, and each metric in the figures of the headline', async () => {
    openPage(URL);
    const heading = await screen.findByRole('heading', { level: 1 });
    expect(heading.textContent).toBe(guard.headline);
    expect(screen.getByText('slower')).toBeTruthy();
    expect(screen.getByText('the working tree')).toBeTruthy();
    expect(screen.getByText('origin/main')).toBeTruthy();
    expect(screen.getByText('Responses equal: 40 of 40.')).toBeTruthy();
    expect(await screen.findByText('CPU per request')).toBeTruthy();
    const [row] = await rowsOf('Metrics of checkout');
    expect(row).toMatch(/1.000.µs.*1.080.µs\+7\.9.% \[\+6\.1, \+9\.8\].*3.%worse$/);
    expect(screen.queryByText('Next step:')).toBeNull();
  });

  test('shows the load and the metric with the strongest change first', async () => {
    const within_limit = changeOf({ metric: 'latency_p50_ms', state: 'within_limit', ratio: 1.01 });
    const strong = changeOf({ metric: 'latency_p99_ms', ratio: 2.4, low: 2.2, high: 2.6 });
    const loads = [
      loadOf({ load: 'browse', changes: [within_limit] }),
      loadOf({ changes: [within_limit, changeOf(), strong] }),
    ];
    openPage(URL, respond(PATH, guardOf(reportOf({ loads }))));
    await screen.findByText('Latency p99');
    const [first, second, third] = await rowsOf('Metrics of checkout');
    expect(first).toMatch(/^Latency p99.*×2\.4 \[×2\.2, ×2\.6\].*worse$/);
    expect(second).toMatch(/^CPU per request/);
    expect(third).toMatch(/^Latency p50.*no difference above 3.%$/);
    const titles = screen.getAllByRole('heading', { level: 2 }).map((title) => title.textContent);
    expect(titles).toEqual(['Load: checkout', 'Load: browse', 'Evidence']);
  });

  test('shows what is still possible, and how long a guard would take that decides', async () => {
    const report = reportOf({ loads: [loadOf({ changes: [unknownOf()] })] });
    const lines = [...guard.lines, 'About 26 min in all would decide: --minutes 26.'];
    openPage(URL, respond(PATH, guardOf(report, { verdict: 'unknown', lines })));
    const [row] = await rowsOf('Metrics of checkout');
    expect(row).toMatch(/Base–Head––.*unknown.*still possible: between −1\.8.% and \+6\.1.%$/);
    expect(screen.getByText('--minutes 26')).toBeTruthy();
  });

  test('explains that a load was not measured', async () => {
    const report = reportOf({ loads: [loadOf({ responses: null, changes: [], pairs: 0 })] });
    openPage(URL, respond(PATH, guardOf(report, { verdict: 'unknown' })));
    expect(await screen.findByText('This load was not measured.')).toBeTruthy();
    expect(screen.getByText(/^Responses were not compared/)).toBeTruthy();
    expect(screen.queryByText('Next step:')).toBeNull();
  });

  test('shows the checks and thresholds of a script, and its own metrics', async () => {
    const script = scriptOf(4990);
    const own = changeOf({ metric: 'script:orders.p95', less_is_worse: true, ratio: 0.9 });
    const report = reportOf({ loads: [loadOf({ responses: null, script, changes: [own] })] });
    openPage(URL, respond(PATH, guardOf(report)));
    expect(
      await screen.findByText(
        'Checks passed: 5 000 of 5 000 by the base, 4 990 of 5 000 by the head.',
      ),
    ).toBeTruthy();
    expect((await rowsOf('Metrics of checkout'))[0]).toMatch(/^orders p95/);
    await userEvent.click(screen.getByText('Evidence'));
    const [check, threshold] = await rowsOf('Checks and thresholds of checkout');
    expect(check).toMatch(/^is 200Basepassed 5.000 of 5.000Headpassed 4.990 of 5.000$/);
    expect(threshold).toMatch(
      /^wait: p\(95\)<200Basekept in 9 of 9 trialsHeadkept in 3 of 9 trials$/,
    );
  });

  test('shows the checks that a head breaks first, instead of changes', async () => {
    const report = reportOf({
      loads: [
        loadOf({ load: 'browse', changes: [] }),
        loadOf({ responses: null, script: scriptOf(0), changes: [] }),
      ],
    });
    openPage(URL, respond(PATH, guardOf(report, { verdict: 'responses_differ' })));
    const [check] = await rowsOf('Checks and thresholds of checkout');
    expect(check).toMatch(/passed 0 of 5.000$/);
    const [first] = screen.getAllByRole('heading', { level: 2 });
    expect(first?.textContent).toBe('Load: checkout');
  });

  test('shows different responses as text only', async () => {
    const difference = {
      request: 'GET /orders',
      place: 'body $.title',
      base: '"Soup"',
      head: '"<b>Soup</b>"',
      varies: true,
    };
    const responses = { compared: 40, equal: 37, differences: [difference] };
    const report = reportOf({ loads: [loadOf({ responses, changes: [], pairs: 0 })] });
    openPage(
      URL,
      respond(
        PATH,
        guardOf(report, {
          verdict: 'responses_differ',
          lines: [
            'If this is intended, list what may differ in tacho.toml: [guard] ignore = ["$"].',
          ],
        }),
      ),
    );
    expect(await screen.findByText('different responses')).toBeTruthy();
    expect(screen.getByText('Two answers of the base differ there, too.')).toBeTruthy();
    expect(screen.getByText('"<b>Soup</b>"')).toBeTruthy();
    expect(screen.getByText('Responses equal: 37 of 40.')).toBeTruthy();
    expect(screen.getByText(/3.responses differ\. These are the first/)).toBeTruthy();
    expect(screen.getByText('[guard] ignore = ["$"]')).toBeTruthy();
    expect(screen.queryByRole('table', { name: 'Metrics of checkout' })).toBeNull();
  });

  test('shows how it was measured, its warnings and the command', async () => {
    const report = reportOf({ warnings: ['2 of 18 trials were disturbed.'] });
    openPage(URL, respond(PATH, guardOf(report)));
    expect(await screen.findByText(/9.pairs of trials on bench-01\. 1.warning\./)).toBeTruthy();
    await userEvent.click(screen.getByText('Evidence'));
    expect(await screen.findByText(/10\.7.min of at most 15.min/)).toBeTruthy();
    expect(screen.getByText('2 of 18 trials were disturbed.')).toBeTruthy();
    expect(screen.getByText(report.command)).toBeTruthy();
    const [row] = await rowsOf('What this host can see');
    expect(row).toMatch(/1\.00× \[0\.990, 1\.01\]2\.6.%$/);
  });

  test('is deleted after a confirmation', async () => {
    const removal = onChange('delete', PATH, guard);
    openPage(URL, removal.handler);
    await userEvent.click(await screen.findByRole('button', { name: 'Delete…' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete guard' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Own services' })).toBeTruthy();
    expect(removal.bodies).toHaveLength(1);
  });

  test('has no button to delete for members', async () => {
    openPage(URL, respond('/api/v1/session', signedInAs('member')));
    expect(await screen.findByText('Cache the price list')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Delete…' })).toBeNull();
  });
});
