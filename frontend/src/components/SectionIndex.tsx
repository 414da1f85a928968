import { Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { SectionMenu } from './lazy';
import { MenuButton } from './MenuButton';
import classes from './SectionIndex.module.css';

/** A section with its id. */
export interface IndexedSection {
  anchor: string;
  title: string;
}

/** On a phone, a menu that stays visible and leads to the sections of a long page. */
export function SectionIndex({ sections }: { sections: readonly IndexedSection[] }) {
  return (
    <div className={classes.index}>
      <MenuButton
        button={
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            On this page
          </Button>
        }
      >
        {(button) => <SectionMenu sections={sections} button={button} />}
      </MenuButton>
    </div>
  );
}
