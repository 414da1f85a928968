import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from '@/api/client';
import { printInLight } from '@/app/print';
import '@/app/styles';
import { theme, variables } from '@/app/theme';
import { addFonts } from './fonts';
import { readResponses, respondFrom } from './responses';
import { createExportRouter } from './router';

const queries = new QueryClient({
  defaultOptions: {
    // The file also opens without a network, where queries would otherwise wait for one.
    queries: { staleTime: Infinity, retry: false, networkMode: 'always' },
  },
});

client.use(respondFrom(readResponses(document)));
addFonts();
printInLight();

const root = document.getElementById('root');
const permalink = document.querySelector<HTMLLinkElement>('link[rel="canonical"]');
if (root === null || permalink === null) throw new Error('This file contains no run.');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={createExportRouter(new URL(permalink.href).pathname)} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
