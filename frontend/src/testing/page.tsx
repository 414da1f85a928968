/** Opens pages of the web UI in component tests, with the router and providers of the app. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { RequestHandler } from 'msw';
import { createQueries } from '@/api/queries';
import { createAppRouter } from '@/app/router';
import { theme, variables } from '@/app/theme';
import { server } from './api';
import { installation } from './installation';

/** Opens a page by its URL. The handlers replace responses of the installation. */
export function openPage(url: string, ...handlers: RequestHandler[]): void {
  server.use(...handlers, ...installation);
  const queries = createQueries({ retry: false, staleTime: 0 });
  const router = createAppRouter(queries, createMemoryHistory({ initialEntries: [url] }));
  render(
    <MantineProvider theme={theme} cssVariablesResolver={variables} env="test">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
