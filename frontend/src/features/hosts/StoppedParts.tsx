import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { healthQueries, type Part } from '@/api/health';
import { CodeBlock } from '@/components/CodeBlock';
import { Notice } from '@/components/Notice';
import { formatDateTime } from '@/lib/format';

/** Shows a notice for each stopped part of Tacho, with the end of its log. */
export function StoppedParts() {
  const query = useQuery(healthQueries.parts());
  const stopped = query.data?.filter((part) => part.status === 'down') ?? [];
  return stopped.map((part) => <StoppedPart key={part.name} part={part} />);
}

function StoppedPart({ part }: { part: Part }) {
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
