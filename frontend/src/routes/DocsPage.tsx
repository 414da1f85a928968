import { Typography } from '@mantine/core';
import { Link, useLoaderData } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DocsHtml } from '@/components/DocsHtml';
import { PageHeader } from '@/components/Page';
import { SectionIndex } from '@/components/SectionIndex';
import type { loadPage } from '@/lib/docs/lazy';
import classes from './DocsPage.module.css';
import { NotFound } from './NotFound';

const FOLDERS: Record<string, string> = {
  '': 'Start',
  'user-guide': 'User guide',
  methodology: 'Methodology',
  'operator-guide': 'Operator guide',
};

/** Shows a page of docs/. */
export function DocsPage(): ReactNode {
  const page = useLoaderData({ from: '/docs/$' });
  return page === null ? <NotFound /> : <Shown {...page} />;
}

type ShownProps = NonNullable<Awaited<ReturnType<typeof loadPage>>>;

function Shown({ title, html, sections, pages }: ShownProps) {
  return (
    <>
      <PageHeader title={title} />
      <SectionIndex sections={sections.map(({ id, title }) => ({ anchor: id, title }))} />
      <div className={classes.columns}>
        <Typography className={classes.text}>
          <DocsHtml html={html} />
        </Typography>
        <nav className={classes.pages} aria-label="Documentation">
          {Object.entries(FOLDERS).map(([folder, name]) => (
            <div key={folder}>
              <h2>{name}</h2>
              <ul role="list">
                {pages
                  .filter(({ path }) => folderOf(path) === folder)
                  .map(({ path, title }) => (
                    <li key={path}>
                      <Link to="/docs/$" params={{ _splat: path }} activeOptions={{ exact: true }}>
                        {title}
                      </Link>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
    </>
  );
}

/** Return the folder of a page; the path of a folder's index is that folder. */
function folderOf(path: string): string {
  const folder = path.split('/')[0] ?? '';
  return folder in FOLDERS ? folder : '';
}
