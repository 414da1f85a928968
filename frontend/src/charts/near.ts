import { type RefObject, useEffect, useState } from 'react';

const MARGIN = '400px';

/**
 * Return whether an element is near the viewport, or the page is being printed. Stays true, so that nothing is drawn twice.
 */
export function useNear(element: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const reach = () => setNear(true);
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) reach();
      },
      { rootMargin: MARGIN },
    );
    if (element.current) observer.observe(element.current);
    const print = window.matchMedia('print');
    print.addEventListener('change', reach);
    window.addEventListener('beforeprint', reach);
    return () => {
      observer.disconnect();
      print.removeEventListener('change', reach);
      window.removeEventListener('beforeprint', reach);
    };
  }, [element]);
  return near;
}
