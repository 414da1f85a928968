import { Box, Button, Group } from '@mantine/core';
import { api } from '@/api/client';
import { useAccess } from '@/api/session';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';
import { Loaded } from '@/components/States';
import { formatCount, joinWords } from '@/lib/format';

/** Loads or removes the example runs of this version. */
export function ExampleData() {
  const query = api.useQuery('get', '/api/v1/examples');
  const load = api.useMutation('put', '/api/v1/examples');
  const remove = api.useMutation('delete', '/api/v1/examples');
  const error = load.error ?? remove.error;
  const { isAllowed, denial } = useAccess('operate');
  return (
    <Loaded query={query}>
      {({ items }) => {
        const loaded = items.filter((item) => item.loaded).length;
        const hosts = [...new Set(items.map((item) => item.host))];
        return (
          <>
            {error && <Refusal error={error} />}
            <Box component="p" m="0 0 10px" maw="72ch" c="dimmed">
              {formatCount(items.length, 'example')} measured on {joinWords(hosts)}, not on this
              machine. They are always marked as examples and can be removed completely.
            </Box>
            <DenialNote denial={denial} action="load or remove them" />
            {isAllowed && (
              <Group gap="xs">
                <Button
                  variant="default"
                  size="xs"
                  disabled={loaded === items.length}
                  loading={load.isPending}
                  onClick={() => load.mutate({})}
                >
                  {loaded === items.length ? 'Example data loaded' : 'Load example data'}
                </Button>
                {loaded > 0 && (
                  <Button
                    variant="subtle"
                    size="xs"
                    loading={remove.isPending}
                    onClick={() => remove.mutate({})}
                  >
                    Remove example data
                  </Button>
                )}
              </Group>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
