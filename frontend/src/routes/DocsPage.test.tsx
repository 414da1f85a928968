import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { load, pages, terms } from 'virtual:docs';
import { WORDS } from '@/components/Words';
import { openPage } from '@/testing/page';
import { testMissing } from '@/testing/page-states';

describe('the documentation', () => {
  testMissing('/docs/methodology/nothing', '/api/v1/verdicts', /Page not found/);

  test('shows a page, and follows its links without loading the UI again', async () => {
    openPage('/docs/methodology/ranking');
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Statistics and ranking' }),
    ).toBeTruthy();
    expect(screen.getByRole('heading', { level: 2, name: 'Comparing two results' }).id).toBe(
      'comparing-two-results',
    );
    const list = screen.getByRole('navigation', { name: 'Documentation' });
    await userEvent.click(within(list).getByRole('link', { name: 'Glossary' }));
    const [link] = await screen.findAllByRole('link', { name: 'How it is computed' });
    if (link === undefined) throw new Error('The glossary has no link.');
    await userEvent.click(link);
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Statistics and ranking' }),
    ).toBeTruthy();
  });

  test('begins with the first steps', async () => {
    openPage('/docs');
    expect(await screen.findByRole('heading', { level: 1, name: 'Getting started' })).toBeTruthy();
  });

  test('has no link to a page or a section that it does not have', async () => {
    const html = new Map<string, string>();
    for (const { path } of pages) html.set(path, (await load[path]?.())?.default ?? '');
    const targets = [...html].flatMap(([path, text]) =>
      [...text.matchAll(/href="(?:\/docs\/([^"#]*))?(?:#([^"]*))?"/g)].map(
        ([, page = path, anchor]) => ({ page, anchor }),
      ),
    );
    const broken = targets.filter(
      ({ page, anchor }) =>
        html.get(page) === undefined ||
        (anchor !== undefined && html.get(page)?.includes(`id="${anchor}"`) === false),
    );
    expect(targets.length).toBeGreaterThan(50);
    expect(broken).toEqual([]);
  });

  test.each(WORDS.map(([term]) => term))('has a meaning of “%s”', (term) =>
    expect(terms.find((entry) => entry.term === term)?.meaning).toBeTruthy(),
  );
});
