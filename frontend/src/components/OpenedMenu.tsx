import { Menu } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { cloneElement, type ReactNode, useState } from 'react';
import type { MenuButtonElement } from './MenuButton';

interface OpenedMenuProps {
  button: MenuButtonElement;
  position?: 'bottom-start' | 'bottom-end';
  children: ReactNode;
}

/** A menu that opens after its button has the focus, because Mantine returns the focus only then. */
export function OpenedMenu({ button, position = 'bottom-end', children }: OpenedMenuProps) {
  const isMounted = useMounted();
  const [opened, setOpened] = useState(true);
  return (
    <Menu opened={opened && isMounted} onChange={setOpened} position={position} shadow="none">
      <Menu.Target>{cloneElement(button, { autoFocus: true })}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
