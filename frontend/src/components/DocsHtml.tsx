import { useRouter } from '@tanstack/react-router';

/** Draws HTML of the documentation. Its links to other pages do not load the UI again. */
export function DocsHtml({ html }: { html: string }) {
  const { history } = useRouter();
  return (
    <div
      onClick={(event) => {
        if (
          event.metaKey ||
          event.ctrlKey ||
          event.shiftKey ||
          !(event.target instanceof Element)
        ) {
          return;
        }
        const address = event.target.closest('a')?.getAttribute('href');
        if (!address?.startsWith('/docs/')) return;
        event.preventDefault();
        history.push(address);
      }}
      // The build made it of files of this repository.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
