import { Box } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CodeBlock } from '@/components/CodeBlock';
import { EmptyState } from '@/components/States';

const COMMANDS = ['tacho init', 'tacho check', 'tacho guard --base origin/main --publish'];

/** Explains what a guard is, and how to start the first one. */
export function FirstGuard() {
  return (
    <EmptyState
      title="No guards yet"
      action={
        <Link to="/docs/$" params={{ _splat: 'user-guide/own-service' }}>
          Guard your own service
        </Link>
      }
    >
      A guard measures two versions of your own HTTP service in turn, and answers whether the change
      between them made it slower.
      <Box mt={12} c="var(--tacho-ink)">
        <CodeBlock label="In a clone of your repository" code={COMMANDS.join('\n')} />
      </Box>
    </EmptyState>
  );
}
