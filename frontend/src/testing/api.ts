/** The HTTP API of component tests. Documents are checked against the schema by the compiler. */
import { delay, http, HttpResponse, type JsonBodyType, type RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import type { paths, Problem } from '@/api/schema';
import { localOwner } from './documents/sessions';

export type Path = keyof paths;
/** The document that `GET` returns for a path. */
export type DocumentAt<P extends Path> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

function pattern(path: Path): string {
  return `*${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

/** Responds to `GET` with a document. */
export function respond<P extends Path>(path: P, document: DocumentAt<P>): RequestHandler {
  return http.get(pattern(path), () => HttpResponse.json(document as JsonBodyType));
}

/** Responds to `GET` with an error, once the gate is open. */
export function refuse(
  path: Path,
  problem: Partial<Problem> & { status: number },
  gate?: Promise<void>,
): RequestHandler {
  return http.get(pattern(path), async () => {
    await gate;
    return HttpResponse.json(problem, { status: problem.status });
  });
}

type Method = 'post' | 'patch' | 'put' | 'delete';

/** The response to a change, and the bodies of the requests so far. */
interface Change {
  handler: RequestHandler;
  bodies: unknown[];
}

/** Responds to a change with a document, or without one if it is null. */
export function onChange(
  method: Method,
  path: Path,
  document: object | null,
  status = document === null ? 204 : 200,
): Change {
  const bodies: unknown[] = [];
  const handler = http[method](pattern(path), async ({ request }) => {
    const text = await request.text();
    bodies.push(text === '' ? null : JSON.parse(text));
    return document === null
      ? new HttpResponse(null, { status })
      : HttpResponse.json(document as JsonBodyType, { status });
  });
  return { handler, bodies };
}

/** Never responds to `GET`. */
export function stall(path: Path): RequestHandler {
  return http.get(pattern(path), async () => {
    await delay('infinite');
    return HttpResponse.error();
  });
}

/** Every page requests these. */
export const server = setupServer(respond('/api/v1/session', localOwner));
