/** Records the browser's timings of a page from the start. */
import type { Page } from '@playwright/test';

export interface Interaction {
  duration: number;
  name: string;
}

/** A move of content without input. */
interface Shift {
  at: number;
  value: number;
}

interface Kept {
  /** Time at which the result appeared; 0 before that. */
  shown: number;
  lcp: number;
  what: string;
  interactions: Map<number, Interaction>;
  shifts: Shift[];
}

declare global {
  interface Window {
    kept: Kept;
  }
}

interface EventTiming extends PerformanceEventTiming {
  interactionId: number;
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
}

interface Painted extends PerformanceEntry {
  element: Element | null;
}

/**
 * Observes Largest Contentful Paint, Event Timing, layout shifts, and the time at which a heading
 * with these words appears, which comes with the result. Call it before the page is opened.
 */
export async function keepVitals(page: Page, heading: string): Promise<void> {
  await page.addInitScript((wanted) => {
    const kept: Kept = { shown: 0, lcp: 0, what: '', interactions: new Map(), shifts: [] };
    window.kept = kept;
    const seen = new MutationObserver(() => {
      const headings = [...document.querySelectorAll('h2')];
      if (!headings.some((heading) => heading.textContent.includes(wanted))) return;
      kept.shown = performance.now();
      seen.disconnect();
    });
    seen.observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Painted[]) {
        kept.lcp = entry.startTime;
        kept.what = (entry.element?.textContent ?? '').slice(0, 40);
      }
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const { startTime, value, hadRecentInput } of list.getEntries() as LayoutShift[]) {
        if (!hadRecentInput) kept.shifts.push({ at: startTime, value });
      }
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as EventTiming[]) {
        const known = kept.interactions.get(entry.interactionId);
        if (entry.interactionId > 0 && entry.duration > (known?.duration ?? 0)) {
          kept.interactions.set(entry.interactionId, {
            duration: entry.duration,
            name: entry.name,
          });
        }
      }
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  }, heading);
}

/**
 * Returns the milliseconds from navigation to the largest paint so far, and the beginning of its
 * text.
 */
export function readLcp(page: Page): Promise<{ lcp: number; what: string }> {
  return page.evaluate(() => ({ lcp: window.kept.lcp, what: window.kept.what }));
}

/**
 * Returns the slowest response to a key or button since the last call. The browser reports nothing
 * below 16 ms.
 */
export async function takeSlowest(page: Page): Promise<Interaction> {
  return page.evaluate(() => {
    const found = [...window.kept.interactions.values()];
    window.kept.interactions.clear();
    const none = { duration: 16, name: 'none' };
    return found.reduce((worst, item) => (item.duration > worst.duration ? item : worst), none);
  });
}

/** Shifts of one burst follow each other within a second, and a burst ends after five. */
const PAUSE_MS = 1000;
const BURST_MS = 5000;

/** Returns the Cumulative Layout Shift so far: the sum of the shifts of the worst burst. */
export async function readShift(page: Page): Promise<number> {
  let [worst, sum, first, last] = [0, 0, -Infinity, -Infinity];
  for (const { at, value } of await page.evaluate(() => window.kept.shifts)) {
    if (at - last >= PAUSE_MS || at - first >= BURST_MS) [sum, first] = [0, at];
    sum += value;
    last = at;
    worst = Math.max(worst, sum);
  }
  return worst;
}
