import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { onChange, refuse, respond } from '@/testing/api';
import { frameworks, scenarios } from '@/testing/documents/catalogue';
import { health, hosts } from '@/testing/documents/hosts';
import { run } from '@/testing/documents/runs';
import { openPage, press, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const HELLO = '/runs/new?scenarios=hello';
const [hello] = scenarios.items;
if (hello === undefined) throw new Error('The catalogue of the tests has no scenario.');
/** Two scenarios. Only Go implements the second. */
const TWO = respond('/api/v1/scenarios', {
  items: [hello, { ...hello, slug: 'chain', name: 'Chain' }],
  next: null,
});
const GO_ONLY = respond('/api/v1/frameworks', {
  items: frameworks.items.map((framework) =>
    framework.slug === 'go-nethttp'
      ? { ...framework, scenarios: ['hello', 'chain'] }
      : { ...framework, scenarios: ['hello'] },
  ),
  next: null,
});

describe('the page of a new run', () => {
  testWaitingAndErrors(HELLO, '/api/v1/frameworks', frameworks, 'Node.js');

  test('shows an error of the scenarios', async () => {
    openPage('/runs/new', refuse('/api/v1/scenarios', { status: 503, detail: 'Too busy.' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Too busy.');
  });

  test('shows that the load generator is still being built', async () => {
    const load_generator = { host: 'bench-01', remaining_seconds: null };
    openPage('/runs/new', respond('/api/v1/health', { ...health, load_generator }));
    await see(/The load generator is still being built/);
    expect(screen.getByText(/Runs on bench-01 are queued, and start/)).toBeTruthy();
  });

  test('explains an empty catalogue', async () => {
    openPage(HELLO, respond('/api/v1/frameworks', { items: [], next: null }));
    await see('The catalogue has no frameworks.');
  });

  test('explains that no framework matches the filter', async () => {
    openPage(`${HELLO}&find=cobol`);
    await see('No framework matches “cobol”.');
  });

  test('shows the limits of a run until the ranking is certain', async () => {
    openPage('/runs/new?until=ranked.12.7');
    const trials = await screen.findByLabelText('Maximum trials per result');
    expect(trials).toHaveProperty('value', '12');
    expect(screen.getByLabelText('Maximum minutes')).toHaveProperty('value', '7 min');
    expect(screen.queryByLabelText('Trials per result')).toBeNull();
  });

  test('offers load hosts where a host can take load from another host', async () => {
    const [bench] = hosts.items;
    if (bench === undefined) throw new Error('The documents of the tests have no host.');
    const items = [
      { ...bench, accepts_remote_load: true },
      { ...bench, name: 'load-1' },
    ];
    openPage('/runs/new?host=bench-01', respond('/api/v1/hosts', { items, next: null }));
    await press('Load hosts', 'combobox');
    const options = await screen.findAllByRole('option');
    expect(options.map((option) => option.textContent)).toEqual(['load-1']);
  });

  test('offers no load hosts where no host can take load from another host', async () => {
    openPage('/runs/new');
    expect(await screen.findByLabelText('Title')).toBeTruthy();
    expect(screen.queryByRole('combobox', { name: 'Load hosts' })).toBeNull();
  });

  test('lists frameworks after a scenario is chosen', async () => {
    openPage('/runs/new');
    await see('No scenario chosen');
    expect(screen.getByRole('heading', { name: '3. Run' })).toBeTruthy();
    expect(screen.queryByRole('checkbox', { name: /Node\.js/ })).toBeNull();
    await press('Hello', 'checkbox');
    await press('Node.js, Hello', 'checkbox');
    expect(screen.getByRole('heading', { name: '4. Run' })).toBeTruthy();
    const bar = screen.getByRole('region', { name: 'Start the run' });
    expect(await within(bar).findByText(/1.result/)).toBeTruthy();
    expect(within(bar).getByRole('button', { name: 'Run' })).toHaveProperty('disabled', false);
  });

  test('folds frameworks that cannot run into one line with the reason', async () => {
    openPage('/runs/new?scenarios=chain', TWO, GO_ONLY);
    expect(await screen.findByRole('checkbox', { name: 'Go net/http, Chain' })).toBeTruthy();
    expect(screen.queryByRole('checkbox', { name: /Node\.js/ })).toBeNull();
    expect(screen.getByText(/1.framework left out: do not implement Chain/)).toBeTruthy();
    expect(screen.getByText('Node.js: do not implement Chain.')).toBeTruthy();
  });

  test('applies a parameter to all scenarios', async () => {
    openPage(
      '/runs/new?cells=hello.go-nethttp,chain.go-nethttp&set=hello.rate_rps.500',
      TWO,
      GO_ONLY,
    );
    const shared = await screen.findByRole('group', { name: 'All scenarios' });
    expect(within(shared).getByText(/Chain: 1.000.req\/s/)).toBeTruthy();
    await userEvent.click(within(shared).getByRole('button', { name: /Apply 500.req\/s to all/ }));
    expect(within(shared).queryByText(/Chain: /)).toBeNull();
    expect(screen.getAllByText(/rate, quick: 500.req\/s for 10 s/)).toHaveLength(2);
  });

  test('fills the form from a preset', async () => {
    openPage('/runs/new');
    const questions = await screen.findByRole('group', { name: 'Common questions' });
    await userEvent.click(within(questions).getByRole('button', { name: /Least CPU/ }));
    expect(
      await screen.findByRole('checkbox', { name: 'Node.js, Hello', checked: true }),
    ).toBeTruthy();
    expect(screen.getByRole('button', { name: /Least CPU/, pressed: true })).toBeTruthy();
    expect(screen.getByText(/at the same rate\?\s+2 results/)).toBeTruthy();
    expect(screen.getByLabelText('Title')).toHaveProperty('value', 'Least CPU at 1,000 req/s');
  });

  test('starts a run with the selection, and opens its page', async () => {
    const create = onChange('post', '/api/v1/runs', { ...run, group: null }, 201);
    openPage(HELLO, create.handler);
    await press('Node.js, Hello', 'checkbox');
    await userEvent.type(screen.getByLabelText('Title'), 'First look');
    await press('Run');
    await see(run.title);
    expect(create.bodies).toEqual([
      {
        title: 'First look',
        cells: [{ framework: 'node', scenario: 'hello', parameters: {} }],
        trials: 5,
        purpose: 'comparison',
        visibility: 'unlisted',
      },
    ]);
  });

  test('shows a problem at its field, and stays', async () => {
    const problems = [
      { field: 'title', detail: 'must be at most 200 characters.' },
      { field: 'cells.0.framework', detail: 'There is no framework node.' },
    ];
    const refused = onChange('post', '/api/v1/runs', { detail: 'Refused.', problems }, 422);
    openPage('/runs/new?cells=hello.node&title=First', refused.handler);
    await press('Run');
    const title = screen.getByLabelText('Title');
    await expect.poll(() => title.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('It must be at most 200 characters.')).toBeTruthy();
    expect(screen.getByText('There is no framework node.')).toBeTruthy();
    expect(screen.getByText(/Not started. Fix the marked fields/)).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
