/** Describes HTML as lines, so that the renderings of server and app can be compared; for tests. */

/** The attributes that matter to readers. */
const KEPT = [
  'class',
  'href',
  'd',
  'fill',
  'data-shown',
  'data-best',
  'data-excluded',
  'data-level',
  'value',
];

/**
 * Return a line for each element, `ol.answer-rows`, and for each text, `"61 µs"`, indented by
 * depth. Spaces between elements are left out.
 */
export function outlineOf(parent: Node, depth = 0): string[] {
  return [...parent.childNodes].flatMap((node) => {
    const indent = '  '.repeat(depth);
    if (node instanceof Element) {
      const kept = KEPT.flatMap((name) => {
        const value = node.getAttribute(name);
        return value === null ? [] : [` ${name}=${value}`];
      });
      return [
        `${indent}${node.tagName.toLowerCase()}${kept.join('')}`,
        ...outlineOf(node, depth + 1),
      ];
    }
    const text = (node.textContent ?? '').replaceAll(/[ \n]+/g, ' ').trim();
    return text === '' ? [] : [`${indent}"${text}"`];
  });
}
