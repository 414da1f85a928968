/** Where this page comes from: an installation, or a file that an installation exported. */

function originTag(): HTMLMetaElement | null {
  return document.querySelector('meta[name="tacho-origin"]');
}

/** Return whether this page is an exported file, which only holds the responses about one run. */
export function isExportedFile(): boolean {
  return originTag() !== null;
}

/** Return the origin of the installation, such as `https://tacho.example.org`. */
export function installationOrigin(): string {
  return originTag()?.content ?? window.location.origin;
}

/** Return the address of this page, with its selection. */
export function pageLink(): string {
  return installationOrigin() + window.location.pathname + window.location.search;
}
