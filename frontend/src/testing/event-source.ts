/** Event streams of component tests, which the test opens, cuts and feeds. */

type Handler = (() => void) | null;

/** Replaces the browser's `EventSource`. Without a test that drives it, it stays silent. */
export class TestEventSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static opened: TestEventSource[] = [];

  readyState: number = TestEventSource.CONNECTING;
  onopen: Handler = null;
  onerror: Handler = null;

  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    TestEventSource.opened.push(this);
  }

  /** The server accepted the connection, also again after a cut. */
  open(): void {
    this.readyState = TestEventSource.OPEN;
    this.onopen?.();
  }

  /** The connection was cut, and the browser connects again by itself. */
  cut(): void {
    this.readyState = TestEventSource.CONNECTING;
    this.onerror?.();
  }

  /** The server responded with an error, after which the browser gives up. */
  refuse(): void {
    this.readyState = TestEventSource.CLOSED;
    this.onerror?.();
  }

  send(type: string, id: string, data: object): void {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId: id }));
  }

  close(): void {
    this.readyState = TestEventSource.CLOSED;
  }
}
