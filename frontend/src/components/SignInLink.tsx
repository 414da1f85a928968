import { Button, type ButtonProps } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { isReturnPath } from '@/lib/return-path';

interface SignInLinkProps extends ButtonProps {
  label?: string;
}

/** Links to the sign-in page, which returns to this page afterwards. */
export function SignInLink({ label = 'Sign in', ...look }: SignInLinkProps) {
  const here = useRouterState({ select: ({ location }) => location.href });
  const search = isReturnPath(here) && here !== '/' ? { to: here } : {};
  return (
    <Button
      size="xs"
      {...look}
      renderRoot={(props) => <Link to="/sign-in" search={search} {...props} />}
    >
      {label}
    </Button>
  );
}
