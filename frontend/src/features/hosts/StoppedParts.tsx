import { Box } from '@mantine/core';
import { api } from '@/api/client';
import type { PartHealth } from '@/api/schema';
import { CodeBlock } from '@/components/CodeBlock';
import { Notice } from '@/components/Notice';
import { formatDateTime } from '@/lib/format';

/** Shows a notice for each stopped part of Tacho, with the end of its log. */
export function StoppedParts() {
  const query = api.useQuery('get', '/api/v1/health');
  const stopped = query.data?.parts.filter((part) => part.status === 'down') ?? [];
  return stopped.map((part) => <StoppedPart key={part.name} part={part} />);
}

function StoppedPart({ part }: { part: PartHealth }) {
  const lines = part.last_lines.join('\n');
  return (
    <>
      <Notice title={`The ${part.name} ${part.restarts > 1 ? 'keeps stopping' : 'stopped'}`}>
        {part.reason === null ? null : `It ${part.reason}. `}
        {part.next_try_at === null
          ? 'It is running again. '
          : `Tacho restarts it at ${formatDateTime(part.next_try_at)}. `}
        Results remain available.
      </Notice>
      {lines === '' ? null : (
        <Box mb="md">
          <CodeBlock label={`Last lines of the ${part.name} log`} code={lines} />
        </Box>
      )}
    </>
  );
}
