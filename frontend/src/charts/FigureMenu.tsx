import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, type RefObject } from 'react';
import { MenuButton } from '@/components/MenuButton';
import type { ChartTable } from '@/lib/table-files';
import type { FigureOrigin, LegendEntry } from './figure-text';

const FigureActions = lazy(async () => ({
  default: (await import('./FigureActions')).FigureActions,
}));

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

/** Draws the button of the menu to save, copy or embed a figure. */
export function FigureMenu(props: FigureMenuProps) {
  return (
    <MenuButton
      button={
        <ActionIcon size="sm" aria-label={`${props.title}: save, copy or embed`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
    >
      {(button) => <FigureActions {...props} button={button} />}
    </MenuButton>
  );
}
