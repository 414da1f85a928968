import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from '@/api/queries';
import { readEmbeddedAnswer } from '@/features/answer/embedded';
import { answerQuery } from '@/features/run-result/query';
import { printInLight } from './print';
import { createAppRouter } from './router';
import './styles';
import { theme, variables } from './theme';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';

const schemeManager = localStorageColorSchemeManager({ key: 'mantine-color-scheme-value' });

const queries = createQueries();
const router = createAppRouter(queries);

reloadAfterUpdate();
printInLight();

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

const draw = () =>
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        colorSchemeManager={schemeManager}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );

const shown = readEmbeddedAnswer(document);
if (shown === null) {
  draw();
} else {
  queries.setQueryData(answerQuery(shown.run).queryKey, shown.answer);
  // The answer that the server drew stays until code and styles of its page are loaded.
  void Promise.allSettled([router.load(), applyStylesheet(document)]).then(draw);
}

const KEY = 'tacho.reloaded-at';
const ONCE_IN_MS = 30_000;

/**
 * Reloads the page when a code chunk is missing because Tacho was updated. Does not reload twice in a row, so that other errors are shown.
 */
function reloadAfterUpdate(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(window.sessionStorage.getItem(KEY) ?? 0);
    if (Date.now() - last < ONCE_IN_MS) return;
    window.sessionStorage.setItem(KEY, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}

/**
 * Applies the stylesheet of the app. The page of a run loads it without delaying the first paint,
 * because it contains the styles of what the server draws (run-page.ts).
 */
async function applyStylesheet(page: Document): Promise<void> {
  const link = page.querySelector<HTMLLinkElement>('link[rel="stylesheet"][media="print"]');
  if (link === null) return;
  if (link.sheet === null) {
    await new Promise((resolve) => {
      link.addEventListener('load', resolve);
      link.addEventListener('error', resolve);
    });
  }
  link.media = 'all';
}
