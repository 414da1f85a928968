/** Fonts of an exported file. Latin only: every further script would make each file larger. */
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';

const FONTS = [
  { family: 'Inter Variable', url: inter, weight: '100 900' },
  { family: 'JetBrains Mono Variable', url: mono, weight: '100 800' },
];

/** Adds the fonts by script, because pictures of figures contain Inter too and CSS would repeat it. */
export function addFonts(): void {
  for (const { family, url, weight } of FONTS) {
    document.fonts.add(new FontFace(family, `url(${url})`, { weight }));
  }
}
