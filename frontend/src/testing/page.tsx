/** Opens pages of the web UI in component tests, with the router and providers of the app. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { act, type ByRoleMatcher, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { RequestHandler } from 'msw';
import { expect } from 'vitest';
import { createQueries } from '@/api/queries';
import { createAppRouter } from '@/app/router';
import { theme, variables } from '@/app/theme';
import { server } from './api';
import { installation } from './installation';
import { TestIntersectionObserver } from './intersection-observer';

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

/** Presses a button, or another item, as soon as it is there. */
export async function press(name: string | RegExp, role: ByRoleMatcher = 'button'): Promise<void> {
  await userEvent.click(await screen.findByRole(role, { name }));
}

/** Waits until the page shows a text, once. */
export async function see(text: string | RegExp): Promise<void> {
  expect(await screen.findByText(text)).toBeTruthy();
}

/** Draws all charts, which other tests leave out because it takes long. */
export async function drawCharts(): Promise<void> {
  act(() => TestIntersectionObserver.showAll());
  await waitFor(() => {
    expect(document.querySelector('figure .recharts-surface')).toBeTruthy();
    expect(screen.queryAllByRole('status', { name: 'Loading' })).toEqual([]);
  });
}
