/** Measures the drawing of the chart with the most points: from the press to the next frame. The browser's own time for the same picture is measured next to it. */
import { expect, test } from '@playwright/test';
import { median, readSettings, tell } from './settings';

const settings = readSettings();
const TITLE = 'Throughput over time';
const NEXT = 'Memory by kind';
const TIMES = 9;
const LINES = 'path.recharts-line-curve';

test('lines over time', async ({ browser }) => {
  const page = await (await browser.newContext({ baseURL: settings.url })).newPage();
  await page.goto(settings.wide);
  const figure = page.getByRole('figure', { name: TITLE });
  // The figure is drawn when it comes near the visible part of the page. The next one always is.
  await page.getByRole('figure', { name: NEXT }).scrollIntoViewIfNeeded();
  await figure.scrollIntoViewIfNeeded();
  await expect(figure.locator(LINES).nth(settings.lines - 1)).toBeAttached({ timeout: 60_000 });
  // The path of a curve begins at the first point and continues to the others.
  const counts = await figure
    .locator(LINES)
    .evaluateAll((paths) =>
      paths.map((path) => path.getAttribute('d')?.match(/[LC]/g)?.length ?? 0),
    );
  expect(Math.min(...counts) + 1, 'points of a line').toBeGreaterThanOrEqual(settings.points);
  await page.waitForLoadState('networkidle');
  const picture = await figure
    .locator('svg', { has: page.locator(LINES) })
    .first()
    .evaluate((svg) => svg.outerHTML);
  const times: number[] = [];
  const pictureTimes: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    await figure.getByRole('button', { name: 'show the table' }).click();
    await expect(figure.getByRole('table')).toBeVisible();
    await page.waitForTimeout(300);
    pictureTimes.push(await figure.evaluate(show, picture));
    await page.waitForTimeout(300);
    times.push(await figure.evaluate(draw, { lines: settings.lines, curve: LINES }));
    await page.waitForTimeout(300);
  }
  tell('drawing', {
    median_ms: median(times),
    worst_ms: Math.max(...times),
    picture_ms: median(pictureTimes),
  });
});

/** Runs in the page: adds a finished picture, resolves when it is drawn, and removes it. */
function show(figure: Element, picture: string): Promise<number> {
  return new Promise((resolve) => {
    const begin = performance.now();
    const place = document.createElement('div');
    place.innerHTML = picture;
    figure.append(place);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        resolve(performance.now() - begin);
        place.remove();
      };
      port2.postMessage(null);
    });
  });
}

/**
 * Runs in the page: switches from table to chart, and resolves when a frame with all lines is
 * drawn.
 */
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
      // The task after the callbacks of a frame runs when the frame is complete.
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
