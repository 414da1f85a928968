import { Menu, Stack, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBraces,
  IconCheck,
  IconCode,
  IconFileTypeCsv,
  IconMarkdown,
  IconPhoto,
  IconVector,
} from '@tabler/icons-react';
import { cloneElement, useState } from 'react';
import { CodeBlock } from '@/components/CodeBlock';
import { Dialog } from '@/components/Dialog';
import type { MenuButtonElement } from '@/components/MenuButton';
import { OpenedMenu } from '@/components/OpenedMenu';
import { downloadBlob, downloadText, toCsv } from '@/lib/csv';
import { installationOrigin } from '@/lib/installation';
import { toJson } from '@/lib/table-files';
import type { Embed, FigureMenuProps } from './FigureMenu';
import { figureMarkdown } from './figure-text';

const ICON = { size: 14, 'aria-hidden': true } as const;

/** Draws the menu to save, copy or embed a figure. */
export function FigureActions({
  button,
  figure,
  title,
  table,
  summary,
  filename,
  origin,
  legend = [],
  embed,
}: FigureMenuProps & { button: MenuButtonElement }) {
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
      <OpenedMenu
        button={
          said === '' ? button : cloneElement(button, {}, <IconCheck size={16} aria-hidden />)
        }
      >
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
          onClick={() => downloadText(`${filename}.json`, toJson(table()), 'application/json')}
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
      </OpenedMenu>
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
