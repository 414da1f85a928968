/** Opens the command palette from any component. */
import { createSpotlight } from '@mantine/spotlight';

const [store, palette] = createSpotlight();

/** State of the command palette. */
export const paletteStore = store;

/** Open the command palette with `query` in its search field. */
export function openPalette(query = ''): void {
  store.setState({ ...store.getState(), opened: true, selected: 0, query });
}

export const closePalette = palette.close;
