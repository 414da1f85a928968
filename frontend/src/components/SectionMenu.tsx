import { Menu } from '@mantine/core';
import type { MenuButtonElement } from './MenuButton';
import { OpenedMenu } from './OpenedMenu';
import type { IndexedSection } from './SectionIndex';

interface SectionMenuProps {
  sections: readonly IndexedSection[];
  button: MenuButtonElement;
}

/** Draws the menu that leads to the sections of a page, and unfolds them. */
export function SectionMenu({ sections, button }: SectionMenuProps) {
  const go = (anchor: string) => {
    const section = document.getElementById(anchor);
    const fold = section?.querySelector('details');
    if (fold) fold.open = true;
    if (section) scrollTo(section);
  };
  return (
    <OpenedMenu button={button} position="bottom-start">
      {sections.map(({ anchor, title }) => (
        <Menu.Item key={anchor} onClick={() => go(anchor)}>
          {title}
        </Menu.Item>
      ))}
    </OpenedMenu>
  );
}

/** Events by which a person takes over the scroll position. */
const TAKEOVERS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Milliseconds for which content above may still load and move the element. */
const SETTLING_MS = 10_000;

/** Scrolls to an element, and again while content loads above it, until the person scrolls. */
function scrollTo(element: HTMLElement): void {
  const observer = new ResizeObserver(() => element.scrollIntoView());
  const stop = () => {
    observer.disconnect();
    window.clearTimeout(timer);
    for (const takeover of TAKEOVERS) window.removeEventListener(takeover, stop);
  };
  const timer = window.setTimeout(stop, SETTLING_MS);
  for (const takeover of TAKEOVERS) window.addEventListener(takeover, stop, { passive: true });
  observer.observe(document.body);
}
