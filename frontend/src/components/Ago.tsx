import { formatAgo, formatDateTime } from '@/lib/format';
import { useNow } from '@/lib/hooks';

const RENEW_MS = 20_000;

/** Shows how long ago something happened, with the exact time on hover. */
export function Ago({ at }: { at: string }) {
  const now = useNow(RENEW_MS);
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at, now)}
    </time>
  );
}
