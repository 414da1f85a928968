import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from '@/api/client';
import { createQueries } from '@/api/queries';
import type { Answer } from '@/api/schema';
import { printInLight } from '@/app/print';
import '@/app/styles';
import { theme, variables } from '@/app/theme';
import { answerQuery } from '@/features/run-result/query';
import { readResponses, respondFrom } from './responses';
import { createExportRouter } from './router';

const FONTS = [
  { family: 'Inter Variable', url: inter, weight: '100 900' },
  { family: 'JetBrains Mono Variable', url: mono, weight: '100 800' },
];

const queries = createQueries({
  staleTime: Infinity,
  retry: false,
  // The file also opens without a network, where queries would otherwise wait for one.
  networkMode: 'always',
});

const responses = readResponses(document);
client.use(respondFrom(responses));
addFonts();
printInLight();

const root = document.getElementById('root');
const permalink = document.querySelector<HTMLLinkElement>('link[rel="canonical"]');
if (root === null || permalink === null) throw new Error('This file contains no run.');

// The page begins with the answer that the file already shows.
const path = new URL(permalink.href).pathname;
const slug = path.slice(path.lastIndexOf('/') + 1);
const answer = responses.get(`/api/v1/runs/${slug}/answer`);
if (answer !== undefined) {
  queries.setQueryData(answerQuery(slug).queryKey, JSON.parse(answer) as Answer);
}

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={createExportRouter(path)} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

/** Adds the fonts by script, because pictures of figures contain Inter too and CSS would repeat it. */
function addFonts(): void {
  for (const { family, url, weight } of FONTS) {
    document.fonts.add(new FontFace(family, `url(${url})`, { weight }));
  }
}
