/** The HTTP client, typed by `schema.d.ts`, and the error it throws. */
import createClient from 'openapi-fetch';
import type { FieldProblem, paths, Problem } from './schema';

/** The browser sends the session cookie. It is HttpOnly, so scripts cannot read it. */
export const client = createClient<paths>({ baseUrl: '' });

// Earlier versions stored the token in local storage, where scripts can read it.
if (typeof window !== 'undefined') window.localStorage.removeItem('tacho.token');

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

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Return the data of a call, or throw a ProblemError. */
export async function unwrap<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  let answer: Answer<Data>;
  try {
    answer = await call;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ProblemError({
      status: 0,
      code: 'unreachable',
      title: 'Tacho is not responding',
      detail: 'The server could not be reached. Check your connection, and that Tacho is running.',
    });
  }
  if (answer.response.ok && answer.data !== undefined) return answer.data;
  const body = typeof answer.error === 'object' ? (answer.error as Partial<Problem>) : {};
  throw new ProblemError({ ...body, status: answer.response.status });
}

/** Return `true` as the data of a 204 response, which has no body. */
export function asDone<Answer extends { response: Response }>(answer: Answer) {
  return answer.response.status === 204 ? { ...answer, data: true as const } : answer;
}
