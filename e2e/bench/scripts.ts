/** The scripts a page fetches: how many bytes of them, and which before its result was there. */
import type { CDPSession, Page } from '@playwright/test';

interface Script {
  url: string;
  /** Milliseconds since the epoch. */
  asked: number;
  bytes: number;
}

export class Scripts {
  private readonly found = new Map<string, Script>();

  private constructor(private readonly session: CDPSession) {}

  /** To be called before the page is opened. */
  static async watch(page: Page): Promise<Scripts> {
    const session = await page.context().newCDPSession(page);
    const scripts = new Scripts(session);
    session.on('Network.requestWillBeSent', ({ requestId, request, wallTime }) => {
      if (new URL(request.url).pathname.endsWith('.js')) {
        scripts.found.set(requestId, { url: request.url, asked: wallTime * 1000, bytes: 0 });
      }
    });
    session.on('Network.responseReceived', ({ requestId, response }) => {
      const script = scripts.found.get(requestId);
      const length = new Headers(response.headers).get('content-length');
      if (script) script.bytes = Number(length);
    });
    await session.send('Network.enable');
    return scripts;
  }

  /** Transferred bytes, without headers, of the scripts that were asked for before `until`. */
  bytes(until = Infinity): number {
    let sum = 0;
    for (const { asked, bytes } of this.found.values()) if (asked < until) sum += bytes;
    return sum;
  }

  /** Only this content coding from now on, as browsers ask that are not on this machine: `br` is
   * asked for over TLS and on loopback alone. */
  async accept(coding: string): Promise<void> {
    await this.session.send('Network.setExtraHTTPHeaders', {
      headers: { 'Accept-Encoding': coding },
    });
  }
}
