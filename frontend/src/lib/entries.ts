/** Forms: entries that survive the end of the session, and errors of the server at their fields. */
import { type FormErrors, useForm, type UseFormInput, type UseFormReturnType } from '@mantine/form';
import { useDraft } from './drafts';

/** An error with the problems of fields, as the API reports them. */
interface RefusedRequest {
  problems?: readonly { field: string; detail: string }[];
}

/**
 * As `useForm` of Mantine, for entries that should survive the end of the session.
 *
 * @param draft identifies the form and the edited item.
 */
export function useDraftForm<Values extends Record<string, unknown>>(
  draft: string,
  input: UseFormInput<Values> & { initialValues: Values },
): UseFormReturnType<Values> {
  const [kept, keep] = useDraft(draft, input.initialValues);
  return useForm<Values>({ ...input, initialValues: kept, onValuesChange: keep });
}

/** Return what the server wrote about a field as a sentence. */
export function explainProblem(detail: string): string {
  return /^[a-z]/.test(detail) ? `It ${detail}` : detail;
}

/** Return the errors of the fields that a form has, and whether they explain the whole refusal. */
export function placeProblems(
  { problems = [] }: RefusedRequest,
  fields: readonly string[],
): { errors: FormErrors; isExplained: boolean } {
  const placed = problems.flatMap(({ field, detail }) => {
    // A problem of an item belongs to the field with the list, such as `hosts.0`.
    const name = fields.find((known) => field === known || field.startsWith(`${known}.`));
    return name === undefined ? [] : [[name, explainProblem(detail)] as const];
  });
  return {
    // The first problem of a field wins.
    errors: Object.fromEntries(placed.toReversed()),
    isExplained: placed.length > 0 && placed.length === problems.length,
  };
}

/** Return the number of a number input, or null if the input is empty. */
export function numberOrNull(typed: number | string): number | null {
  return typed === '' ? null : Number(typed);
}
