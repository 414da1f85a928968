/** States that every page has: waiting for the API, and an error of the API. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { type DocumentAt, type Path, refuse, respond, server } from './api';
import { openPage } from './page';

const REASON = 'The database did not respond.';

function createGate(): { gate: Promise<void>; pass: () => void } {
  let pass: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { gate, pass };
}

/**
 * Tests that a page shows that it is loading, then the reason of an error, and that trying again
 * shows the document.
 */
export function testWaitingAndErrors<P extends Path>(
  url: string,
  path: P,
  document: DocumentAt<P>,
  shown: string | RegExp,
): void {
  test('shows that it is loading, then an error, then the document', async () => {
    const problem = { status: 503, title: 'Unavailable', detail: REASON };
    const { gate, pass } = createGate();
    openPage(url, refuse(path, problem, gate));
    expect(await screen.findAllByRole('status', { name: 'Loading' })).not.toHaveLength(0);
    expect(screen.queryByText(shown)).toBeNull();
    pass();
    const [alert] = await screen.findAllByRole('alert');
    expect(alert?.textContent).toContain(REASON);
    server.use(respond(path, document));
    const [retry] = screen.getAllByRole('button', { name: 'Try again' });
    if (retry === undefined) throw new Error('There is no button to try again.');
    await userEvent.click(retry);
    expect(await screen.findAllByText(shown)).not.toHaveLength(0);
  });
}

/** Tests that a page explains that its item does not exist. */
export function testMissing(url: string, path: Path, shown: RegExp): void {
  test('explains that the item does not exist', async () => {
    openPage(url, refuse(path, { status: 404, title: 'Not found', detail: 'There is none.' }));
    const title = () => screen.getByRole('heading', { level: 1 }).textContent;
    // A part of the page that arrives earlier may have a heading, too.
    await waitFor(() => expect(title()).toMatch(shown));
  });
}
