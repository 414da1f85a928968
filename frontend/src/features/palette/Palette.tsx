import { Group, Kbd, UnstyledButton } from '@mantine/core';
import { Spotlight, useSpotlight } from '@mantine/spotlight';
import '@mantine/core/styles/Kbd.css';
import '@mantine/spotlight/styles.css';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, useId, useState } from 'react';
import { Marker } from '@/components/Marker';
import { closePalette, paletteStore } from '@/lib/palette';
import classes from './Palette.module.css';
import { type PaletteItem, rankItems } from './rank';
import { usePaletteItems } from './usePaletteItems';

/** Items per group before anything is typed. */
const MOST_AT_FIRST = 5;
const MOST_FOUND = 7;

/** Command palette: finds pages, runs, frameworks, scenarios, studies, hosts, metrics, themes and new runs. */
export function Palette() {
  return (
    <Spotlight.Root
      store={paletteStore}
      shortcut={null}
      yOffset="12vh"
      maxHeight="70dvh"
      scrollable
      attributes={{ content: { 'aria-label': 'Search' } }}
      overlayProps={{}}
      transitionProps={{ duration: 100, transition: 'fade' }}
      classNames={{
        content: classes.content ?? '',
        body: classes.body ?? '',
        search: classes.search ?? '',
        actionsList: classes.list ?? '',
        actionsGroup: classes.group ?? '',
        action: classes.action ?? '',
        footer: classes.footer ?? '',
      }}
    >
      <Results />
    </Spotlight.Root>
  );
}

function Results() {
  const { query } = useSpotlight(paletteStore);
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const { items, isLoading, error } = usePaletteItems(query);
  const groups = rankItems(items, query, query.trim() === '' ? MOST_AT_FIRST : MOST_FOUND);
  const found = groups.flatMap((group) => group.items);
  const selected = Math.min(Math.max(chosen, 0), found.length - 1);
  const optionId = (index: number) => `${id}-${index}`;
  // Spotlight selects after this event and does not notify its subscribers.
  const readSelected = () => queueMicrotask(() => setChosen(paletteStore.getState().selected));
  const openTab = (event: KeyboardEvent) => {
    const item = found[selected];
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || item === undefined) return;
    event.stopPropagation();
    window.open(item.href, '_blank', 'noreferrer');
  };
  return (
    <>
      <Spotlight.Search
        data-autofocus
        role="combobox"
        aria-label="Search pages, runs, frameworks, scenarios, studies, hosts and metrics"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={selected >= 0 ? optionId(selected) : undefined}
        placeholder="Search…"
        autoComplete="off"
        spellCheck={false}
        leftSection={<IconSearch size={18} stroke={1.7} aria-hidden />}
        rightSectionWidth={56}
        rightSectionPointerEvents="all"
        rightSection={
          <UnstyledButton onClick={closePalette} aria-label="Close search">
            <Kbd>Esc</Kbd>
          </UnstyledButton>
        }
        onKeyDownCapture={openTab}
        onKeyDown={readSelected}
        onChange={() => setChosen(0)}
      />
      <Spotlight.ActionsList id={`${id}-list`} role="listbox" aria-label="Search results">
        {groups.map((group) => (
          <Spotlight.ActionsGroup
            key={group.label}
            label={group.label}
            role="group"
            aria-label={group.label}
          >
            {group.items.map((item) => {
              const index = found.indexOf(item);
              return (
                <Option
                  key={item.id}
                  id={optionId(index)}
                  item={item}
                  isSelected={index === selected}
                />
              );
            })}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
      <p className={classes.status} role="status">
        {found.length === 0 && !isLoading && `No results for “${query}”.`}
        {found.length === 0 && isLoading && 'Searching…'}
        {error && ` Some results are missing: ${error.message}`}
      </p>
      <Spotlight.Footer aria-hidden>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> select
        </span>
        <span>
          <Kbd>Enter</Kbd> open
        </span>
        <span>
          <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd> open in a new tab
        </span>
      </Spotlight.Footer>
    </>
  );
}

interface OptionProps {
  id: string;
  item: PaletteItem;
  isSelected: boolean;
}

/** Draws an item as a link, so that a middle click opens a new tab. */
function Option({ id, item, isSelected }: OptionProps) {
  const router = useRouter();
  const link = { component: 'a', href: item.href };
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (item.action) item.action();
    else void router.navigate({ href: item.href });
  };
  return (
    <Spotlight.Action
      {...link}
      // The action does not pass on `id` to its element.
      ref={(element: HTMLElement | null) => {
        if (element !== null) element.id = id;
      }}
      role="option"
      aria-selected={isSelected}
      data-selected={isSelected || undefined}
      onClick={onClick}
    >
      <Group
        component="span"
        display="inline-flex"
        gap="xs"
        wrap="nowrap"
        miw={0}
        className="wraps"
      >
        {item.colour !== undefined && <Marker colour={item.colour} />}
        {item.label}
      </Group>
      {item.hint !== undefined && <span className={classes.hint}>{item.hint}</span>}
    </Spotlight.Action>
  );
}
