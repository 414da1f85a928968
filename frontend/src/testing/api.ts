/** The HTTP API of component tests. Documents are checked against the schema by the compiler. */
import { delay, http, HttpResponse, type JsonBodyType, type RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import type { paths, Problem } from '@/api/schema';

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

/** Responds to `GET` with an error. */
export function refuse(path: Path, problem: Partial<Problem> & { status: number }): RequestHandler {
  return http.get(pattern(path), () => HttpResponse.json(problem, { status: problem.status }));
}

/** Never responds to `GET`. */
export function stall(path: Path): RequestHandler {
  return http.get(pattern(path), async () => {
    await delay('infinite');
    return HttpResponse.error();
  });
}

/** Every page requests these. */
export const server = setupServer(
  respond('/api/v1/session', {
    can_sign_in: false,
    can_write: true,
    proof: 'loopback',
    detail: 'This installation has no token.',
  }),
);
