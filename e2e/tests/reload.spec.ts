/** The address of each page holds its settings, so a reloaded page shows the same. */
import { expect, type Page, test } from './watched';
import { scrollThrough } from './looks';

/**
 * Returns the visible settings: the address, and each field, tick and pressed button of the page.
 */
async function stateOf(page: Page) {
  await page.waitForLoadState('networkidle');
  await scrollThrough(page);
  await page.waitForLoadState('networkidle');
  const controls = await page.locator('main').evaluate((main) => {
    const nameOf = (element: Element) =>
      element.getAttribute('aria-label') ??
      (element instanceof HTMLInputElement
        ? element.labels?.[0]?.textContent
        : element.textContent) ??
      '';
    const fields = [...main.querySelectorAll('input')].map((field) => {
      const value = ['checkbox', 'radio'].includes(field.type) ? field.checked : field.value;
      return `${nameOf(field)}: ${String(value)}`;
    });
    const pressed = [...main.querySelectorAll('[aria-pressed]')].map(
      (element) => `${nameOf(element)}: ${element.getAttribute('aria-pressed') ?? ''}`,
    );
    const current = [...main.querySelectorAll('[aria-current]')].map(nameOf);
    const sliders = [...main.querySelectorAll('[role=slider]')].map(
      (element) => `${nameOf(element)}: ${element.getAttribute('aria-valuenow') ?? ''}`,
    );
    return [...fields, ...pressed, ...current, ...sliders];
  });
  return { url: page.url(), controls };
}

/** Opens a page, changes it, and expects the same settings after a reload and in a new tab. */
async function expectKept(page: Page, path: string, change: (page: Page) => Promise<void>) {
  await page.goto(path);
  const before = await stateOf(page);
  await change(page);
  const set = await stateOf(page);
  expect(set, 'the change is in the address').not.toEqual(before);
  expect(set.url).not.toBe(before.url);
  await page.reload();
  await expect.poll(() => stateOf(page), { message: `${path}, reloaded` }).toEqual(set);
  const other = await page.context().newPage();
  await other.goto(set.url);
  await expect.poll(() => stateOf(other), { message: `${path}, in a new tab` }).toEqual(set);
  await other.close();
}

/** Chooses in a Mantine select. */
async function choose(page: Page, label: string, option: string | RegExp) {
  await page.getByLabel(label, { exact: true }).first().click();
  await page.getByRole('option', { name: option }).first().click();
}

/** Measures two frameworks, because the pages show their controls only with results. */
test.beforeAll('measure two frameworks', async ({ request }) => {
  test.setTimeout(600_000);
  const parameters = { rate_rps: 50, warm_up_seconds: 1, duration_seconds: 10 };
  const answer = await request.post('/api/v1/runs', {
    data: {
      title: 'Two frameworks for reloads',
      trials: 2,
      cells: ['node', 'go-nethttp'].map((framework) => ({
        framework,
        scenario: 'hello',
        parameters,
      })),
    },
  });
  expect(answer.status(), await answer.text()).toBe(202);
  const { id } = (await answer.json()) as { id: string };
  const status = async () => {
    const run = (await (await request.get(`/api/v1/runs/${id}`)).json()) as { status: string };
    return run.status;
  };
  await expect.poll(status, { timeout: 540_000, intervals: [2_000] }).toBe('succeeded');
});

test('New run keeps its cells, trials, title and filter', async ({ page }) => {
  await expectKept(page, '/runs/new', async () => {
    await page.getByRole('checkbox', { name: 'Hello', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Node.js, Hello', exact: true }).check();
    await page.getByLabel('Trials per result').fill('7');
    await page.getByRole('textbox', { name: 'Filter frameworks' }).fill('java');
    await page.getByLabel('Title').fill('Kept, in the address');
  });
});

test('the catalogue keeps its filter', async ({ page }) => {
  await expectKept(page, '/frameworks', async () => {
    await page.getByRole('main').getByRole('textbox').first().fill('go');
    await expect(page).toHaveURL(/=go/);
  });
});

test('the leaderboard keeps scenario, metric, weights and ticks', async ({ page }) => {
  await expectKept(page, '/leaderboard?scenario=hello', async () => {
    await choose(page, 'Metric', 'Latency p99');
    await expect(page).toHaveURL(/metric=/);
    await page
      .getByRole('checkbox', { name: /to compare$/ })
      .first()
      .check();
    await expect(page).toHaveURL(/picked=/);
  });
  await expectKept(page, '/leaderboard?scenario=hello', async () => {
    await page.getByText('Composite', { exact: true }).click();
    await expect(page).toHaveURL(/weights=/);
  });
});

test('history keeps metric, sensitivity and ticks', async ({ page }) => {
  await expectKept(page, '/history?framework=node,go-nethttp&scenario=hello', async () => {
    await choose(page, 'Metric', 'Latency p99');
    // There is one line per environment, and other specs may have measured Node.js in another
    // environment.
    await page
      .getByRole('button', { name: /^Show only Node\.js/ })
      .first()
      .click();
    const slider = page.getByRole('slider', { name: /sensitivity/i });
    await slider.focus();
    await slider.press('ArrowLeft');
    await expect(page).toHaveURL(/p=/);
    await page
      .getByRole('checkbox', { name: /to compare$/ })
      .first()
      .check();
    await expect(page).toHaveURL(/picked=/);
  });
});

test('a run keeps metric, baseline, the isolated framework, and the warm-up', async ({ page }) => {
  const { items } = (await (
    await page.request.get('/api/v1/cells?scenario=hello&limit=1')
  ).json()) as {
    items: { run_slug: string }[];
  };
  await expectKept(page, `/r/${items[0]?.run_slug ?? ''}`, async () => {
    await choose(page, 'Metric', 'Latency p99');
    await page
      .getByRole('button', { name: /^Show only/ })
      .first()
      .click();
    await page.locator('label', { hasText: 'Warm-up' }).click();
    await expect(page).toHaveURL(/warm_up=no/);
  });
});

test('compare keeps the ticked results, the filter, and the isolated result', async ({ page }) => {
  await expectKept(page, '/compare', async () => {
    await choose(page, 'Scenario', 'Hello');
    await page.getByRole('checkbox').first().check();
    await page.getByRole('checkbox').nth(1).check();
    await expect(page).toHaveURL(/picked=[^&]*,/);
  });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(page).toHaveURL(/cells=/);
  const compared = new URL(page.url());
  await expectKept(page, compared.pathname + compared.search, async () => {
    await choose(page, 'Metric', 'Latency p99');
    await page
      .getByRole('button', { name: /^Show only/ })
      .first()
      .click();
    await choose(page, 'Vertical axis', 'CPU per request');
    await expect(page).toHaveURL(/only=.*y=|y=.*only=/);
  });
});

test('changes keep their status', async ({ page }) => {
  await expectKept(page, '/changes', async () => {
    await page.getByRole('link', { name: /^Confirmed/ }).click();
    await expect(page).toHaveURL(/status=confirmed/);
  });
});
