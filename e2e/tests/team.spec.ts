/** A team: an operator with a password, and a person who joins through single sign-on at Dex. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Browser, expect, type Page, test } from './watched';
import { expectAccessible, photograph } from './looks';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PLAN =
  '/runs/new?cells=hello.node&profile=hello.rate-quick&set=hello.rate_rps.50,hello.warm_up_seconds.1,hello.duration_seconds.3&trials=1';
// The people of Dex are in backend/tests/dex.py.
const BO = { email: 'bo@example.org', name: 'Bo of Dex' };
const UNVERIFIED = 'cy@example.org';
const PASSWORD_AT_DEX = 'password at dex';

test.skip(
  process.env.TACHO_OIDC_ISSUER === undefined,
  'needs an installation with single sign-on: make e2e-team starts one',
);

test('a team invites, runs, shares, changes roles, uses a token and reads the audit log', async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(8 * 60_000);
  const operator = await openBrowser(browser, baseURL);
  await createFirstOperator(operator);
  const link = await invite(operator);

  const person = await openBrowser(browser, baseURL);
  await joinThroughDex(person, link);
  await refuseUnverified(await openBrowser(browser, baseURL));
  await person.goto('/account');
  await expect(person.getByRole('table', { name: 'Single sign-on' })).toContainText('/dex');
  await expectAccessible(person, 'account with single sign-on');
  await photograph(person, 'team-account');

  const permalink = await runAndShare(person);
  const stranger = await openBrowser(browser, baseURL);
  expect((await stranger.goto(permalink))?.status()).toBe(200);

  await demote(operator, person);
  const token = await createToken(operator);
  await queueRun(token, baseURL);
  await readAuditLog(operator);
});

async function openBrowser(browser: Browser, baseURL: string | undefined): Promise<Page> {
  const context = await browser.newContext({
    ...(baseURL !== undefined && { baseURL }),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return context.newPage();
}

async function createFirstOperator(page: Page): Promise<void> {
  const printed = execFileSync(`${ROOT}.venv/bin/tacho`, ['operator'], { encoding: 'utf8' });
  await page.goto(printed.trim());
  await page.getByLabel('Name').fill('Ola Operator');
  await page.getByLabel('E-mail').fill('ola@example.org');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('button', { name: 'Ola Operator' })).toBeVisible();
}

/** Invites Bo as a maintainer, and returns the link. */
async function invite(page: Page): Promise<string> {
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByLabel('E-mail').fill(BO.email);
  await page.getByRole('combobox', { name: 'Role', exact: true }).click();
  await page.getByRole('option', { name: 'Maintainer' }).click();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const link = page.getByText(/\/join#/);
  await expect(link).toBeVisible();
  return (await link.innerText()).trim();
}

async function joinThroughDex(page: Page, link: string): Promise<void> {
  await page.goto(link);
  const join = page.getByRole('button', { name: 'Join with Dex' });
  await expect(join).toBeVisible();
  await expect(page).not.toHaveURL(/#./);
  await expectAccessible(page, 'join page with single sign-on');
  await photograph(page, 'team-join');
  await join.click();
  await enterAtDex(page, 'Log in with Email', BO.email);
  await expect(page.getByRole('button', { name: BO.name })).toBeVisible();
}

async function enterAtDex(page: Page, connector: string, email: string): Promise<void> {
  await page.getByRole('link', { name: connector }).click();
  await page.locator('#login').fill(email);
  await page.locator('#password').fill(PASSWORD_AT_DEX);
  await page.locator('#submit-login').click();
}

async function refuseUnverified(page: Page): Promise<void> {
  await page.goto('/sign-in?to=/runs');
  await page.getByRole('button', { name: 'Sign in with Dex' }).click();
  await enterAtDex(page, 'Log in with an unverified address', UNVERIFIED);
  await expect(page.getByRole('alert')).toContainText('has not verified your e-mail address');
  await expect(page).toHaveURL(/\/sign-in\?.*to=%2Fruns/);
  await expectAccessible(page, 'refused single sign-on');
  await photograph(page, 'team-refused');
}

/** Runs node × hello, makes the run private and unlisted again, and returns its permalink. */
async function runAndShare(page: Page): Promise<string> {
  await page.goto(PLAN);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page).toHaveURL(/\/r\//);
  await expect(page.getByRole('button', { name: 'Export, reproduce, compare' })).toBeVisible({
    timeout: 4 * 60_000,
  });
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Private', { exact: true }).click();
  await expect(dialog.getByRole('status')).toContainText('Visible only to members');
  await dialog.getByText('Unlisted', { exact: true }).click();
  await expect(dialog.getByRole('status')).toContainText('Anyone with the link can open it');
  await dialog.getByRole('button', { name: 'Copy: Permalink' }).click();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Makes Bo a viewer while Bo has the form of a run open. */
async function demote(operator: Page, person: Page): Promise<void> {
  await person.goto(PLAN);
  const run = person.getByRole('button', { name: 'Run', exact: true });
  await expect(run).toBeEnabled();
  await person.evaluate(() => {
    document.documentElement.dataset.loaded = 'once';
  });

  await operator.goto('/settings');
  await operator.getByRole('combobox', { name: `Role of ${BO.name}` }).click();
  const changed = operator.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await operator.getByRole('option', { name: 'Viewer' }).click();
  expect((await changed).status()).toBe(200);
  await photograph(operator, 'team-members');

  await run.click();
  await expect(person.getByText(/Your role in Main is viewer/).first()).toBeVisible();
  await expect(run).toBeDisabled();
  // The page was not loaded again.
  await expect(person.locator('html')).toHaveAttribute('data-loaded', 'once');
  await photograph(person, 'team-demoted');
}

async function createToken(page: Page): Promise<string> {
  await page.goto('/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Nightly CI');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = page.getByText(/^tacho_[\w-]{20,}$/);
  await expect(token).toBeVisible();
  return (await token.innerText()).trim();
}

/** Starts a run as a script does, without a cookie. */
async function queueRun(token: string, baseURL = ''): Promise<void> {
  const parameters = { rate_rps: 50, warm_up_seconds: 1, duration_seconds: 3 };
  const answer = await fetch(new URL('/api/v1/runs', baseURL), {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      title: 'Run of a script',
      trials: 1,
      cells: [{ framework: 'node', scenario: 'hello', parameters }],
    }),
  });
  expect(answer.status, await answer.text()).toBe(202);
}

async function readAuditLog(page: Page): Promise<void> {
  await page.goto('/settings/audit');
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
  const expected = [
    ['ola@example.org', 'one_time_link.created'],
    [BO.email, 'membership.created'],
    [BO.email, 'run.created'],
    [BO.email, 'run.changed'],
    ['ola@example.org', 'membership.changed'],
    ['ola@example.org', 'access_token.created'],
    ['Nightly CI', 'run.created'],
  ] as const;
  for (const [actor, action] of expected) {
    const row = rows.filter({ hasText: actor }).filter({ hasText: action });
    await expect(row.first(), `${actor} ${action}`).toBeVisible();
  }
  await expectAccessible(page, 'audit log of a team');
  await photograph(page, 'team-audit');
}
