/** Visibility in component tests, whose DOM has no layout. */

type Report = (entries: { isIntersecting: boolean; target: Element }[]) => void;

/** Replaces the browser's `IntersectionObserver`. Nothing is visible until the test shows all. */
export class TestIntersectionObserver {
  static readonly #observers = new Set<TestIntersectionObserver>();

  readonly #report: Report;
  readonly #targets: Element[] = [];

  constructor(report: Report) {
    this.#report = report;
  }

  /** Reports every element as visible. */
  static showAll(): void {
    for (const observer of [...TestIntersectionObserver.#observers]) {
      observer.#report(observer.#targets.map((target) => ({ isIntersecting: true, target })));
    }
  }

  observe(target: Element): void {
    this.#targets.push(target);
    TestIntersectionObserver.#observers.add(this);
  }

  disconnect(): void {
    TestIntersectionObserver.#observers.delete(this);
  }
}
