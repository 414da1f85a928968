/** Attribute of elements that saved pictures leave out, such as buttons. */
export const NOT_DRAWN = { 'data-not-drawn': true } as const;
