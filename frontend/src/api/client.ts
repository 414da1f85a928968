/**
 * The HTTP API, typed by `schema.d.ts`: `api.useQuery('get', '/api/v1/hosts')` reads, and
 * `api.useMutation('post', '/api/v1/runs')` changes. `queries.ts` lists how long answers stay fresh.
 */
import createClient, { type Middleware } from 'openapi-fetch';
import createHooks from 'openapi-react-query';
import type { FieldProblem, paths, Problem } from './schema';

/** An error response of the server (RFC 9457), or `code: "unreachable"` without a response. */
export class ProblemError extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly instance: string | null;
  readonly problems: readonly FieldProblem[];

  constructor(problem: Partial<Problem> & { status: number }) {
    super(
      problem.detail ?? `The server responded with status ${String(problem.status)} and no reason.`,
    );
    this.name = 'ProblemError';
    this.status = problem.status;
    this.code = problem.code ?? 'unknown';
    this.title = problem.title ?? 'The request was refused';
    this.instance = problem.instance ?? null;
    this.problems = problem.problems ?? [];
  }
}

const HEALTH = '/api/v1/health';

/** Throws error responses, so that every caller gets data or a ProblemError. */
const throwProblems: Middleware = {
  async onResponse({ response, schemaPath }) {
    if (response.ok) return undefined;
    const body = (await response.json().catch(() => ({}))) as Partial<Problem>;
    // The state of the installation is data, also while a part is down.
    if (schemaPath === HEALTH && body.code === undefined) {
      return Response.json(body, { status: 200 });
    }
    throw new ProblemError({ ...body, status: response.status });
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    return new ProblemError({
      status: 0,
      code: 'unreachable',
      title: 'Tacho is not responding',
      detail: 'The server could not be reached. Check your connection, and that Tacho is running.',
    });
  },
};

interface Thrown {
  content: { 'application/problem+json': ProblemError };
}

/** The paths of the schema, with the errors that callers get. */
type Paths = {
  [Path in keyof paths]: {
    [Key in keyof paths[Path]]: paths[Path][Key] extends { responses: infer Responses }
      ? Omit<paths[Path][Key], 'responses'> & {
          responses: {
            [Status in keyof Responses]: Status extends 200 | 201 | 202 | 204
              ? Responses[Status]
              : Thrown;
          };
        }
      : paths[Path][Key];
  };
};

/** The browser sends the session cookie. It is HttpOnly, so scripts cannot read it. */
export const client = createClient<Paths>({ baseUrl: '' });
client.use(throwProblems);

export const api = createHooks(client);

// Earlier versions stored the token in local storage, where scripts can read it.
if (typeof window !== 'undefined') window.localStorage.removeItem('tacho.token');

/** Options of lists that are read page by page. */
export const PAGES = {
  initialPageParam: null,
  getNextPageParam: ({ next }: { next?: string | null }) => next,
} as const;

/** Options of a change after which the page is left. */
export const LEAVES = { meta: { leaves: true } } as const;
