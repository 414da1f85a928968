/** Counts the bytes of scripts that a page fetches, in total and before its result appears. */
import type { CDPSession, Page } from '@playwright/test';

interface Script {
  url: string;
  /** Milliseconds since the epoch. */
  settings: number;
  bytes: number;
}

export class Scripts {
  private readonly found = new Map<string, Script>();

  private constructor(private readonly session: CDPSession) {}

  /** Call it before the page is opened. */
  static async watch(page: Page): Promise<Scripts> {
    const session = await page.context().newCDPSession(page);
    const scripts = new Scripts(session);
    session.on('Network.requestWillBeSent', ({ requestId, request, wallTime }) => {
      if (new URL(request.url).pathname.endsWith('.js')) {
        scripts.found.set(requestId, { url: request.url, settings: wallTime * 1000, bytes: 0 });
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

  /** Returns the transferred bytes, without headers, of the scripts requested before `until`. */
  bytes(until = Infinity): number {
    let sum = 0;
    for (const { settings, bytes } of this.found.values()) if (settings < until) sum += bytes;
    return sum;
  }

  /**
   * Requests only this content coding, as browsers on other machines do: browsers request `br` only
   * over TLS and on loopback.
   */
  async accept(coding: string): Promise<void> {
    await this.session.send('Network.setExtraHTTPHeaders', {
      headers: { 'Accept-Encoding': coding },
    });
  }
}
