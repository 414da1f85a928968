import { Button, Stack } from '@mantine/core';
import { api, LEAVES } from '@/api/client';
import { Refusal } from '@/components/Refusal';

interface SingleSignOnProps {
  /** Such as "Sign in with Example login". */
  label: string;
  /** Path of the page to show afterwards. */
  to: string;
  /** The key of an invitation to accept. */
  linkKey?: string;
}

/** Opens the page of the provider on which people sign in. */
export function SingleSignOn({ label, to, linkKey }: SingleSignOnProps) {
  const start = api.useMutation('post', '/api/v1/session/oidc', {
    ...LEAVES,
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
  return (
    <Stack gap="md">
      <Button
        fullWidth
        variant="default"
        // The page of the provider takes a moment to open.
        loading={start.isPending || start.isSuccess}
        onClick={() =>
          start.mutate({ body: { to, ...(linkKey !== undefined && { link_key: linkKey }) } })
        }
      >
        {label}
      </Button>
      {start.error && <Refusal error={start.error} />}
    </Stack>
  );
}
