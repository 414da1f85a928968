import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { exampleQueries, useExamples } from '@/api/examples';
import { useAccess } from '@/api/session';
import { DenialNote } from '@/components/DenialNote';
import { Refusal } from '@/components/Refusal';
import { Loaded } from '@/components/States';
import { formatCount, joinWords } from '@/lib/format';
import classes from './ExampleData.module.css';

/** Loads or removes the example runs of this version. */
export function ExampleData() {
  const query = useQuery(exampleQueries.list());
  const examples = useExamples();
  const [asked, setAsked] = useState(true);
  const { isAllowed, denial } = useAccess('operate');
  const change = (load: boolean) => {
    setAsked(load);
    examples.mutate(load);
  };
  return (
    <Loaded query={query}>
      {(items) => {
        const loaded = items.filter((item) => item.loaded).length;
        const hosts = [...new Set(items.map((item) => item.host))];
        return (
          <>
            {examples.error && <Refusal error={examples.error} />}
            <p className={classes.text}>
              {formatCount(items.length, 'example')} measured on {joinWords(hosts)}, not on this
              machine. They are always marked as examples and can be removed completely.
            </p>
            <DenialNote denial={denial} action="load or remove them" />
            {isAllowed && (
              <Group gap="xs">
                <Button
                  variant="default"
                  size="xs"
                  disabled={loaded === items.length}
                  loading={examples.isPending && asked}
                  onClick={() => {
                    change(true);
                  }}
                >
                  {loaded === items.length ? 'Example data loaded' : 'Load example data'}
                </Button>
                {loaded > 0 && (
                  <Button
                    variant="subtle"
                    size="xs"
                    loading={examples.isPending && !asked}
                    onClick={() => {
                      change(false);
                    }}
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
