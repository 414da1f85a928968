/** The layout of all pages: a heading with meta line and actions, then sections. */
import { Box, Group, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useDocumentTitle } from '@/lib/hooks';
import classes from './Page.module.css';

interface PageHeaderProps {
  /** A text is the title of the document too. */
  title: ReactNode;
  documentTitle?: string | null;
  meta?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader(props: PageHeaderProps) {
  const { title, meta, actions, documentTitle = typeof title === 'string' ? title : null } = props;
  useDocumentTitle(documentTitle);
  return (
    <Group component="header" gap="12px 24px" align="flex-start" justify="space-between" mb="lg">
      <div className={classes.heading}>
        <Title order={1}>{title}</Title>
        {meta !== undefined && (
          <Box mt={4} c="dimmed">
            {meta}
          </Box>
        )}
      </div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </Group>
  );
}

interface SectionProps {
  /** Id, for links to the section. */
  anchor?: string;
  title: string;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ anchor, title, hint, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section id={anchor} className={classes.section} aria-labelledby={id}>
      <Group gap="8px 24px" align="flex-start" justify="space-between" mb="sm">
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {hint !== undefined && (
            <Box c="dimmed" maw="72ch">
              {hint}
            </Box>
          )}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </Group>
      {children}
    </section>
  );
}

/** Shows small facts in one line, separated by dots. */
export function MetaLine({ children }: { children: ReactNode[] }) {
  return (
    <span className={classes.metaLine}>
      {children.map((item, index) =>
        item === null || item === false || item === '' ? null : <span key={index}>{item}</span>,
      )}
    </span>
  );
}
