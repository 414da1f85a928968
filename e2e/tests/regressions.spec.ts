/** A change point, from its mark in the history to a person's decision. */
import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { expectAccessible, photograph } from './looks';

test('a change is listed, read and confirmed by hand', async ({ page }) => {
  // A month of nightly runs; only their numbers are generated.
  const python = `${process.cwd()}/../.venv/bin/python`;
  execFileSync(python, ['-m', 'backend.tests.histories'], { cwd: '..' });

  await page.goto('/changes');
  const change = page.getByRole('listitem').filter({ hasText: 'Sinatra on Hello' }).first();
  await expect(change.getByRole('button', { name: 'Decide' })).toBeVisible();
  await photograph(page, 'changes-full');
  await expectAccessible(page, 'changes');

  await change.locator('a[href^="/changes/"]').click();
  await expect(page).toHaveURL(/\/changes\/[0-9a-f-]{36}/);
  await expect(page.getByText('1.08').first()).toBeVisible();
  await photograph(page, 'change');
  await expectAccessible(page, 'a change');
  await page.getByRole('button', { name: 'Decide' }).click();
  await page.getByRole('menuitem', { name: 'Confirm by hand' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('A slower parser, on purpose.');
  await expectAccessible(page, 'a decision');
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm by hand' }).click();
  await expect(page.getByText(/Confirmed by hand/)).toBeVisible();
  await page.reload();
  await expect(page.getByText('A slower parser, on purpose.')).toBeVisible();

  await page.getByRole('link', { name: 'View history' }).click();
  const table = page.getByRole('region', { name: 'Level shifts' });
  await expect(table.getByText('confirmed')).toBeVisible();
  await photograph(page, 'history-with-change');
  await expectAccessible(page, 'a history with a change');
});
