/** The API responses that an exported file contains, each in a script element with its path. */
import type { Middleware } from 'openapi-fetch';

const PREFIX = '/api/v1/';

/** Return the text of each response by its path and query. */
export function readResponses(page: Document): Map<string, string> {
  const elements = page.querySelectorAll<HTMLScriptElement>('script[data-path]');
  return new Map([...elements].map((element) => [element.dataset.path ?? '', element.textContent]));
}

/** Answers every request of the API client from the responses, so that none leaves the page. */
export function respondFrom(responses: ReadonlyMap<string, string>): Middleware {
  return {
    onRequest({ request: { url } }) {
      const path = url.slice(url.indexOf(PREFIX));
      const text = responses.get(path);
      const headers = { 'Content-Type': 'application/json' };
      return text === undefined
        ? new Response(missing(path), { status: 404, headers })
        : new Response(text, { headers });
    },
  };
}

function missing(path: string): string {
  return JSON.stringify({
    code: 'not_in_file',
    title: 'This file does not contain that',
    detail: `Open the run in Tacho for the response of ${path}.`,
  });
}

/** Return all responses as one JSON document, by path. */
export function toDocument(responses: ReadonlyMap<string, string>): string {
  const members = [...responses].map(([path, text]) => `${JSON.stringify(path)}: ${text.trim()}`);
  return `{\n${members.join(',\n')}\n}\n`;
}
