/** Fades the edges of boxes that scroll sideways, so that hidden content is noticed. */
import './fade-edges.css';

/** Ref of a box that scrolls sideways. Marks the sides on which content is hidden. */
export function fadeEdges(box: HTMLElement | null): (() => void) | undefined {
  if (box === null) return undefined;
  const mark = () => {
    const { left, right } = hiddenSides(box);
    box.toggleAttribute('data-more-left', left);
    box.toggleAttribute('data-more-right', right);
  };
  // Reports the size once at the beginning.
  const observer = new ResizeObserver(mark);
  observer.observe(box);
  // The content may become wider later.
  if (box.firstElementChild) observer.observe(box.firstElementChild);
  box.addEventListener('scroll', mark, { passive: true });
  return () => {
    observer.disconnect();
    box.removeEventListener('scroll', mark);
  };
}

type Scrolled = Pick<HTMLElement, 'scrollLeft' | 'scrollWidth' | 'clientWidth'>;

/** Return on which sides a box hides content. Browsers round sizes, so one pixel does not count. */
export function hiddenSides({ scrollLeft, scrollWidth, clientWidth }: Scrolled) {
  return { left: scrollLeft > 1, right: scrollLeft + clientWidth < scrollWidth - 1 };
}
