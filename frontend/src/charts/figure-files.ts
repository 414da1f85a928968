/** Saves a figure as a picture. */
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import { drawFigure, type PictureText } from './figure-svg';

/** PNG pixels per CSS pixel. */
const DENSITY = 2;

export async function figureToSvg(figure: HTMLElement, text: PictureText): Promise<Blob> {
  return new Blob([drawFigure(figure, text, await fontUrl())], { type: 'image/svg+xml' });
}

/** Return a PNG. Throws if the browser cannot draw the SVG. */
export async function figureToPng(figure: HTMLElement, text: PictureText): Promise<Blob> {
  const image = new Image();
  image.src = await toDataUrl(await figureToSvg(figure, text));
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * DENSITY;
  canvas.height = image.naturalHeight * DENSITY;
  const pen = canvas.getContext('2d');
  pen?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser could not draw the picture.'));
      else resolve(blob);
    }, 'image/png'),
  );
}

/** Return Inter as a data URL. An exported file contains it as one, and must not fetch anything. */
async function fontUrl(): Promise<string> {
  if (inter.startsWith('data:')) return inter;
  return toDataUrl(await (await fetch(inter)).blob());
}

function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(blob);
  });
}
