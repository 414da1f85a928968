/** Prepares the DOM of component tests: sizes for charts, and an API that the test defines. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { server } from './api';
import { TestEventSource } from './event-source';
import { TestIntersectionObserver } from './intersection-observer';

// The first page of a run loads the code of all.
configure({
  asyncUtilTimeout: 60_000,
  // Queries fail until a page is there. Printing the page each time took longer than drawing it.
  getElementError: (message) => new Error(message ?? 'There is no such element.'),
});

const WIDTH = 800;
const HEIGHT = 300;

// The DOM of tests has no layout. Charts draw nothing without a size.
for (const [name, value] of Object.entries({ offsetWidth: WIDTH, offsetHeight: HEIGHT })) {
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, value });
}
HTMLElement.prototype.getBoundingClientRect = () => new DOMRect(0, 0, WIDTH, HEIGHT);

/** Reports the size once. */
class FixedSize implements ResizeObserver {
  readonly #report: ResizeObserverCallback;

  constructor(report: ResizeObserverCallback) {
    this.#report = report;
  }

  observe(target: Element): void {
    const contentRect = new DOMRect(0, 0, WIDTH, HEIGHT);
    const size = [{ inlineSize: WIDTH, blockSize: HEIGHT }];
    const entry = {
      target,
      contentRect,
      borderBoxSize: size,
      contentBoxSize: size,
      devicePixelContentBoxSize: size,
    };
    this.#report([entry], this);
  }

  unobserve(): void {
    // The size never changes.
  }

  disconnect(): void {
    // The size never changes.
  }
}
vi.stubGlobal('ResizeObserver', FixedSize);

vi.stubGlobal('IntersectionObserver', TestIntersectionObserver);
window.scrollTo = () => undefined;
// There are no style sheets, so that only the style of the element itself counts.
window.getComputedStyle = (element) => (element as HTMLElement).style;

// The DOM of tests loads no fonts. Text areas that grow listen to the end of loading.
Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });

vi.stubGlobal('EventSource', TestEventSource);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => server.close());
