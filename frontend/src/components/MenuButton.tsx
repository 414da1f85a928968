import { useDisclosure } from '@mantine/hooks';
import {
  type ButtonHTMLAttributes,
  cloneElement,
  type ReactElement,
  type ReactNode,
  Suspense,
} from 'react';

export type MenuButtonElement = ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;

interface MenuButtonProps {
  button: MenuButtonElement;
  /** Returns an `OpenedMenu` of this button. */
  children: (button: MenuButtonElement) => ReactNode;
}

/** A button whose menu is loaded when it is pressed for the first time. */
export function MenuButton({ button, children }: MenuButtonProps) {
  const [wasPressed, { open }] = useDisclosure(false);
  const closed = cloneElement(button, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: open,
  });
  return wasPressed ? <Suspense fallback={closed}>{children(button)}</Suspense> : closed;
}
