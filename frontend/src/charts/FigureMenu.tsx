import { ActionIcon, Menu, Stack, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBraces,
  IconCheck,
  IconCode,
  IconDots,
  IconFileTypeCsv,
  IconMarkdown,
  IconPhoto,
  IconVector,
} from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { CodeBlock } from '@/components/CodeBlock';
import { Dialog } from '@/components/Dialog';
import { downloadBlob, downloadText, toCsv } from '@/lib/csv';
import { installationOrigin } from '@/lib/installation';
import { type ChartTable, toJson } from '@/lib/table-files';
import { figureMarkdown, type FigureOrigin, type LegendEntry } from './figure-text';

/** Paths on this installation where other pages can embed a figure. */
export interface Embed {
  frame: string;
  /** A picture drawn by the server, and the page that it links to. */
  picture?: { image: string; page: string };
}

/** The content that the menu saves and copies. */
export interface FigureContent {
  title: string;
  /** Everything the figure shows, with full precision. */
  table: () => ChartTable;
  /** The main numbers, rounded as on the page. */
  summary: () => ChartTable;
  filename: string;
  origin: FigureOrigin;
  /** Legend for saved pictures, which lack the page around the figure. */
  legend?: readonly LegendEntry[];
  /** Link to the figure on its own, if it can be embedded. */
  embed?: Embed | undefined;
}

export interface FigureMenuProps extends FigureContent {
  figure: RefObject<HTMLElement | null>;
}

const ICON = { size: 14, 'aria-hidden': true } as const;

/** Draws the menu to save, copy or embed a figure. */
export function FigureMenu({
  figure,
  title,
  table,
  summary,
  filename,
  origin,
  legend = [],
  embed,
}: FigureMenuProps) {
  const [embedding, { open, close }] = useDisclosure(false);
  const [said, setSaid] = useState('');

  const savePicture = async (kind: 'svg' | 'png') => {
    if (figure.current === null) return;
    try {
      const files = await import('./figure-files');
      const draw = kind === 'svg' ? files.figureToSvg : files.figureToPng;
      downloadBlob(`${filename}.${kind}`, await draw(figure.current, { title, origin, legend }));
    } catch (fault) {
      setSaid(`The picture could not be saved: ${String(fault)}`);
    }
  };
  const copyMarkdown = async () => {
    const markdown = figureMarkdown(title, origin, summary());
    try {
      await navigator.clipboard.writeText(markdown);
      setSaid('Copied as Markdown');
      window.setTimeout(setSaid, 2000, '');
    } catch {
      // There is no clipboard on plain HTTP, so the text is downloaded instead.
      downloadText(`${filename}.md`, markdown, 'text/markdown');
    }
  };

  return (
    <>
      <Menu position="bottom-end" shadow="none">
        <Menu.Target>
          <ActionIcon size="sm" aria-label={`${title}: save, copy or embed`}>
            {said === '' ? <IconDots size={16} aria-hidden /> : <IconCheck size={16} aria-hidden />}
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Data</Menu.Label>
          <Menu.Item
            leftSection={<IconFileTypeCsv {...ICON} />}
            onClick={() => {
              const { columns, rows } = table();
              downloadText(`${filename}.csv`, toCsv(columns, rows));
            }}
          >
            CSV
          </Menu.Item>
          <Menu.Item
            leftSection={<IconBraces {...ICON} />}
            onClick={() => {
              downloadText(`${filename}.json`, toJson(table()), 'application/json');
            }}
          >
            JSON
          </Menu.Item>
          <Menu.Item leftSection={<IconMarkdown {...ICON} />} onClick={() => void copyMarkdown()}>
            Copy as Markdown
          </Menu.Item>
          <Menu.Label>Picture</Menu.Label>
          <Menu.Item leftSection={<IconPhoto {...ICON} />} onClick={() => void savePicture('png')}>
            PNG
          </Menu.Item>
          <Menu.Item leftSection={<IconVector {...ICON} />} onClick={() => void savePicture('svg')}>
            SVG
          </Menu.Item>
          {embed && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<IconCode {...ICON} />} onClick={open}>
                Embed
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      {embed && (
        <Dialog opened={embedding} onClose={close} title={`Embed: ${title}`} size="lg" centered>
          <Stack gap={16}>
            <CodeBlock label="Live chart" code={frameCode(embed, title)} />
            {embed.picture && (
              <CodeBlock label="Picture" code={pictureCode(embed.picture, title)} />
            )}
          </Stack>
        </Dialog>
      )}
    </>
  );
}

const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

function frameCode({ frame }: Embed, title: string): string {
  const src = quoted(installationOrigin() + frame);
  return `<iframe src="${src}" title="${quoted(title)}" width="100%" height="400" loading="lazy" style="border:0"></iframe>`;
}

function pictureCode({ image, page }: NonNullable<Embed['picture']>, title: string): string {
  const origin = installationOrigin();
  return `<a href="${quoted(origin + page)}"><img src="${quoted(origin + image)}" alt="${quoted(title)}" width="600" height="315"></a>`;
}
