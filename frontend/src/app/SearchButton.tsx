import { UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { openPalette } from '@/lib/palette';
import { warmPalette } from './PaletteHost';
import classes from './SearchButton.module.css';

const KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** Opens the command palette. On narrow screens it is an icon. */
export function SearchButton() {
  return (
    <UnstyledButton
      className={classes.search}
      aria-label="Search"
      aria-keyshortcuts="Control+K Meta+K"
      onPointerEnter={warmPalette}
      onFocus={warmPalette}
      onClick={() => {
        openPalette();
      }}
    >
      <IconSearch size={16} stroke={1.9} aria-hidden />
      <span className={classes.words} aria-hidden>
        Search <kbd>{KEYS}</kbd>
      </span>
    </UnstyledButton>
  );
}
