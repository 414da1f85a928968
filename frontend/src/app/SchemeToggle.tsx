import {
  ActionIcon,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

function useOtherScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  const Icon = scheme === 'dark' ? IconSun : IconMoon;
  const change = () => setColorScheme(other);
  return {
    icon: <Icon size={18} stroke={1.7} aria-hidden />,
    words: `Use the ${other} theme`,
    change,
  };
}

export function SchemeToggle() {
  const { icon, words, change } = useOtherScheme();
  return (
    <ActionIcon size="lg" aria-label={words} onClick={change}>
      {icon}
    </ActionIcon>
  );
}

/** The same as a menu entry. */
export function SchemeEntry({ className }: { className: string | undefined }) {
  const { icon, words, change } = useOtherScheme();
  return (
    <UnstyledButton className={className} onClick={change}>
      {words}
      {icon}
    </UnstyledButton>
  );
}
