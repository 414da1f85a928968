import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { scrollTo } from '@/lib/scroll-to';
import classes from './SectionIndex.module.css';

/** A section with its id. */
export interface IndexedSection {
  anchor: string;
  title: string;
}

/** On a phone, a menu that stays visible and leads to the sections of a long page. */
export function SectionIndex({ sections }: { sections: readonly IndexedSection[] }) {
  const go = (anchor: string) => {
    const section = document.getElementById(anchor);
    const fold = section?.querySelector('details');
    if (fold) fold.open = true;
    if (section) scrollTo(section);
  };
  return (
    <div className={classes.index}>
      <Menu position="bottom-start" shadow="none">
        <Menu.Target>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            On this page
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
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
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
