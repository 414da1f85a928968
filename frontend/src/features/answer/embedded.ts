/** The answer that the server put into the page of a run, so that the page starts with it. */
import type { Answer } from '@/api/schema';

export interface EmbeddedAnswer {
  /** Id or slug of the run, as in the address of the page. */
  run: string;
  answer: Answer;
}

/** Return the answer of this page; null if the server put none into it. */
export function readEmbeddedAnswer(page: Document): EmbeddedAnswer | null {
  const element = page.getElementById('tacho-answer');
  if (element === null) return null;
  return {
    run: element.dataset.run ?? '',
    answer: JSON.parse(element.textContent) as Answer,
  };
}
