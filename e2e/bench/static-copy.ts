/** Serves a copy of a page without scripts, as the fastest page with the same text and picture. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';

export interface StaticCopy {
  url: string;
  close: () => void;
}

/** Returns the HTML of a drawn page, with its styles inside and without scripts. */
export function copyPage(page: Page): Promise<string> {
  return page.evaluate(() => {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    const copy = document.documentElement.cloneNode(true) as HTMLElement;
    for (const element of copy.querySelectorAll('script, link, style')) element.remove();
    const style = document.createElement('style');
    style.textContent = rules.map((rule) => rule.cssText).join('\n');
    copy.querySelector('head')?.append(style);
    return `<!doctype html>${copy.outerHTML}`;
  });
}

/** Serves the HTML at every path, and fonts and pictures from the installation. */
export async function serveCopy(html: string, installation: string): Promise<StaticCopy> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (!path.startsWith('/assets/')) {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
      return;
    }
    void fetch(`${installation}${path}`).then(async (file) => {
      response.writeHead(file.status, {
        'Content-Type': file.headers.get('content-type') ?? 'application/octet-stream',
      });
      response.end(Buffer.from(await file.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(port)}`, close: () => server.close() };
}
