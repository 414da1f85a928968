/** How long the most crowded chart takes to be drawn: from the press to the frame after it. */
import { expect, test } from '@playwright/test';
import { median, readAsked, tell } from './asked';

const asked = readAsked();
const TITLE = 'Throughput over time';
const TIMES = 9;
const LINES = 'path.recharts-line-curve';

test('lines over time', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: asked.url })).newPage();
  await page.goto(asked.wide);
  const figure = page.getByRole('figure', { name: TITLE });
  await figure.scrollIntoViewIfNeeded();
  await expect(figure.locator(LINES).nth(asked.lines - 1)).toBeAttached({ timeout: 60_000 });
  // A curve's path begins at one point and goes on to each other.
  const counts = await figure
    .locator(LINES)
    .evaluateAll((paths) =>
      paths.map((path) => path.getAttribute('d')?.match(/[LC]/g)?.length ?? 0),
    );
  expect(Math.min(...counts) + 1, 'points of a line').toBeGreaterThanOrEqual(asked.points);
  await page.waitForLoadState('networkidle');
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    await figure.getByRole('button', { name: 'show the table' }).click();
    await expect(figure.getByRole('table')).toBeVisible();
    await page.waitForTimeout(300);
    times.push(await figure.evaluate(draw, { lines: asked.lines, curve: LINES }));
    await page.waitForTimeout(300);
  }
  tell('drawing', { median_ms: median(times), worst_ms: Math.max(...times) });
});

/** In the page: from table back to chart; resolves once a frame with all lines has been made. */
function draw(
  figure: Element,
  { lines, curve }: { lines: number; curve: string },
): Promise<number> {
  const button = [...figure.querySelectorAll('button')].find((candidate) =>
    candidate.getAttribute('aria-label')?.endsWith('show the chart'),
  );
  return new Promise((resolve) => {
    const begin = performance.now();
    const seen = new MutationObserver(() => {
      if (figure.querySelectorAll(`${curve}[d]`).length < lines) return;
      seen.disconnect();
      // The task after a frame's callbacks runs when the frame has been made.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          resolve(performance.now() - begin);
        };
        port2.postMessage(null);
      });
    });
    seen.observe(figure, { childList: true, subtree: true, attributes: true });
    button?.click();
  });
}
