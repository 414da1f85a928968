import { Modal, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react';
import { Marker } from '@/components/Marker';
import classes from './Palette.module.css';
import { type PaletteItem, rankItems } from './rank';
import { usePaletteItems } from './usePaletteItems';

interface PaletteProps {
  isOpen: boolean;
  /** Initial search text. */
  text: string;
  onClose: () => void;
}

/** Command palette: finds pages, runs, frameworks, scenarios, studies, hosts and new runs. */
export function Palette({ isOpen, text, onClose }: PaletteProps) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} size={600} yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Search" classNames={{ content: classes.content ?? '' }}>
        <Asked key={text} text={text} onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  );
}

/** Items per group before anything is typed. */
const MOST_AT_FIRST = 5;
const MOST_FOUND = 7;
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

function Asked({ text: given, onClose }: Omit<PaletteProps, 'isOpen'>) {
  const router = useRouter();
  const [text, setText] = useState(given);
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const { items, isLoading, error } = usePaletteItems(text);
  const groups = rankItems(items, text, text.trim() === '' ? MOST_AT_FIRST : MOST_FOUND);
  const found = groups.flatMap((group) => group.items);
  const active = Math.min(chosen, found.length - 1);
  const optionId = (index: number) => `${id}-${index}`;
  const go = (item: PaletteItem) => {
    onClose();
    void router.navigate({ href: item.href });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const item = found[active];
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && item) {
      event.preventDefault();
      if (event.metaKey || event.ctrlKey) window.open(item.href, '_blank', 'noreferrer');
      else go(item);
    }
    const step = STEPS[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    setChosen((active + step + found.length) % found.length);
  };
  return (
    <>
      <div className={classes.ask}>
        <IconSearch size={18} stroke={1.7} aria-hidden className={classes.icon} />
        <input
          data-autofocus
          className={classes.input}
          role="combobox"
          aria-label="Search pages, runs, frameworks, scenarios, studies and hosts"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? optionId(active) : undefined}
          placeholder="Search…"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <UnstyledButton className={classes.close} onClick={onClose} aria-label="Close search">
          Esc
        </UnstyledButton>
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="Search results" className={classes.list}>
        {groups.map((group) => (
          <div key={group.label} role="group" aria-label={group.label} className={classes.group}>
            <div className={classes.groupName} aria-hidden>
              {group.label}
            </div>
            {group.items.map((item) => {
              const index = found.indexOf(item);
              return (
                <Option
                  key={item.id}
                  id={optionId(index)}
                  item={item}
                  isActive={index === active}
                  onGo={go}
                  onPoint={() => {
                    setChosen(index);
                  }}
                />
              );
            })}
          </div>
        ))}
      </div>
      <p className={classes.said} role="status">
        {found.length === 0 && !isLoading && `No results for “${text}”.`}
        {found.length === 0 && isLoading && 'Searching…'}
        {error && ` Some results are missing: ${error.message}`}
      </p>
      <p className={classes.keys} aria-hidden>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> select
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> open in a new tab
        </span>
      </p>
    </>
  );
}

interface OptionProps {
  id: string;
  item: PaletteItem;
  isActive: boolean;
  onGo: (item: PaletteItem) => void;
  onPoint: () => void;
}

/** A link, so that a middle click opens a new tab. Keyboard focus stays in the field. */
function Option({ id, item, isActive, onGo, onPoint }: OptionProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isActive) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onGo(item);
  };
  return (
    <a
      ref={link}
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      href={item.href}
      className={classes.option}
      onClick={onClick}
      onMouseMove={isActive ? undefined : onPoint}
    >
      <span className={classes.label}>
        {item.colour !== undefined && <Marker colour={item.colour} />}
        {item.label}
      </span>
      {item.hint !== undefined && <span className={classes.hint}>{item.hint}</span>}
    </a>
  );
}
