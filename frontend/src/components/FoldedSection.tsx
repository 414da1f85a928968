import { Box, Title } from '@mantine/core';
import { type ReactNode, useEffect, useId, useState } from 'react';
import classes from './FoldedSection.module.css';

interface FoldedSectionProps {
  /** Fragment of the URL that opens the section. */
  anchor: string;
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}

/** A section that is closed at first. Its content is drawn when it is opened or printed. */
export function FoldedSection({ anchor, title, hint, children }: FoldedSectionProps) {
  const id = useId();
  const [opened, setOpened] = useState(() => window.location.hash === `#${anchor}`);
  useEffect(() => {
    const open = () => setOpened(true);
    const follow = () => {
      if (window.location.hash === `#${anchor}`) open();
    };
    window.addEventListener('beforeprint', open);
    window.addEventListener('hashchange', follow);
    return () => {
      window.removeEventListener('beforeprint', open);
      window.removeEventListener('hashchange', follow);
    };
  }, [anchor]);
  return (
    <section id={anchor} className={classes.section} aria-labelledby={id}>
      <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
        <summary className={classes.summary}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {hint !== undefined && (
            <Box component="span" display="block" maw="72ch" pl="md" c="dimmed">
              {hint}
            </Box>
          )}
        </summary>
        {opened && <Box pb="md">{children}</Box>}
      </details>
    </section>
  );
}
