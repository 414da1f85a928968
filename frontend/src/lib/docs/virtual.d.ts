/** The documentation, as the build makes it of docs/ (frontend/docs.ts). */
declare module 'virtual:docs' {
  export interface DocsPage {
    /** Within docs/, such as `methodology/ranking`. */
    path: string;
    title: string;
    sections: { id: string; title: string }[];
  }

  export interface GlossaryTerm {
    term: string;
    /** HTML. */
    meaning: string;
    /** Id of the section of the glossary. */
    section: string;
  }

  export const pages: readonly DocsPage[];
  export const terms: readonly GlossaryTerm[];
  /** Loads the HTML of a page by its path. */
  export const load: Readonly<Record<string, () => Promise<{ default: string }>>>;
}
