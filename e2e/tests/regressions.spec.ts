/** A change, from the home page to a person's decision. */
import { execFileSync } from 'node:child_process';
import { expect, test } from './watched';
import { expectAccessible, photograph } from './looks';

test('a change is listed, read and confirmed by hand', async ({ page }) => {
  // A month of nightly runs; only their numbers are generated.
  const python = `${process.cwd()}/../.venv/bin/python`;
  execFileSync(python, ['-m', 'backend.tests.histories'], { cwd: '..' });

  await page.goto('/');
  const open = page.getByRole('region', { name: /^Open changes/ });
  await expect(open.getByRole('link', { name: /of Sinatra on Hello/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /^Changes \d+ open$/ })).toBeVisible();
  await photograph(page, 'home-with-a-change');
  await expectAccessible(page, 'home with a change');

  await page.goto('/changes');
  const incident = page.getByRole('listitem').filter({ hasText: 'of Sinatra on Hello' }).first();
  await photograph(page, 'changes-full');
  await expectAccessible(page, 'changes');

  await incident.getByRole('link', { name: /of Sinatra on Hello/ }).click();
  await expect(page).toHaveURL(/\/incidents\/[0-9a-f-]{36}/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('1.08×');
  await expect(page.getByRole('table', { name: 'Series that shifted' })).toContainText('1.08×');
  await photograph(page, 'change');
  await expectAccessible(page, 'a change');
  await page.getByRole('button', { name: 'Decide about all series' }).click();
  await page.getByRole('menuitem', { name: 'Confirm by hand' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('A slower parser, on purpose.');
  await expectAccessible(page, 'a decision');
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm by hand' }).click();
  await expect(page.getByText(/Confirmed by hand/).first()).toBeVisible();
  await page.reload();
  await expect(page.getByText('A slower parser, on purpose.')).toBeVisible();

  await page.getByRole('link', { name: 'View history' }).first().click();
  const table = page.getByRole('region', { name: 'Level shifts' });
  await expect(table.getByText('confirmed')).toBeVisible();
  await photograph(page, 'history-with-change');
  await expectAccessible(page, 'a history with a change');
});
