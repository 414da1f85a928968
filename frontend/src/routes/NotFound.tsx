import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState } from '@/components/States';
import { useDocumentTitle } from '@/lib/hooks';

export function NotFound(): ReactNode {
  useDocumentTitle('Not found');
  return (
    <EmptyState
      title="There is no page at this address"
      action={
        <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
          To the overview
        </Button>
      }
    >
      Check the link for a missing character. Runs keep their permalinks, so a shortened link is the
      likeliest reason.
    </EmptyState>
  );
}
