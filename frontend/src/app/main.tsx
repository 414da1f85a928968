import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from '@/api/queries';
import { readEmbeddedAnswer } from '@/features/answer/embedded';
import { answerQuery } from '@/features/run-result/query';
import { printInLight } from './print';
import { reloadAfterUpdate } from './reload';
import { createAppRouter } from './router';
import { applyStylesheet } from './stylesheet';
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

const draw = () => {
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
};

const shown = readEmbeddedAnswer(document);
if (shown === null) {
  draw();
} else {
  queries.setQueryData(answerQuery(shown.run).queryKey, shown.answer);
  // The answer that the server drew stays until code and styles of its page are loaded.
  void Promise.allSettled([router.load(), applyStylesheet(document)]).then(draw);
}
