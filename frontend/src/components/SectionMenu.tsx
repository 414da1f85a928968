import { Menu } from '@mantine/core';
import { scrollTo } from '@/lib/scroll-to';
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
        <Menu.Item
          key={anchor}
          onClick={() => {
            go(anchor);
          }}
        >
          {title}
        </Menu.Item>
      ))}
    </OpenedMenu>
  );
}
