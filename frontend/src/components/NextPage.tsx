import { Button } from '@mantine/core';

interface NextPageProps {
  /** The state of an infinite query. */
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
  /** Such as "Show earlier runs". */
  label: string;
}

/** Draws a button that loads the next page of a list, if there is one. */
export function NextPage({ query, label }: NextPageProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button
      mt={12}
      variant="default"
      size="xs"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {label}
    </Button>
  );
}
