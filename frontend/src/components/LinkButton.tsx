import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

function SmallButton(props: ButtonProps & ComponentProps<'a'>) {
  return <Button component="a" size="xs" variant="default" {...props} />;
}

/** A link to a page that looks like a button, by default a small one. */
export const LinkButton = createLink(SmallButton);
