// The result of a message after the six services, as services/CONTRACT.md defines it.
//
// Exports
//   PARTS              the services' names in order, first the service that gets the load
//   MODULUS            numbers are below it
//   someText(length)   random letters, digits and spaces
//   someNumber()       a random number that the first service takes
//   passOn({ number, text }, stamps)
//                      { number, text } of the right answer to a message that the six have
//                      given these stamps
export const PARTS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
export const MODULUS = 2147483647;

const KEY_DIGITS = 7;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ';
const HALF = 65536;
const LOW_BITS = HALF - 1;

const keys = PARTS.map((part, index) => {
  const name = index === 0 ? 'TACHO_STEP_KEY' : `TACHO_${part.toUpperCase()}_STEP_KEY`;
  return parseInt(__ENV[name].slice(0, KEY_DIGITS), 16);
});

export function someText(length) {
  const pick = () => LETTERS[Math.floor(Math.random() * LETTERS.length)];
  const piece = Array.from({ length: Math.min(length, 10007) }, pick).join('');
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

export function someNumber() {
  return Math.floor(Math.random() * MODULUS);
}

export function passOn({ number, text }, stamps) {
  let last = number;
  // Every response of the load is checked, and shifts are fast. The square is computed in two halves:
  // a product of two such numbers has more digits than a double.
  for (let index = 0; index < keys.length; index += 1) {
    const character = text.charCodeAt(last % text.length);
    const high = (((last >>> 16) * last) % MODULUS) * HALF;
    const square = high + (last & LOW_BITS) * last;
    last = (square + keys[index] + stamps[index] + character) % MODULUS;
  }
  const cut = (last + keys[keys.length - 1]) % text.length;
  return { number: last, text: text.slice(cut) + text.slice(0, cut) };
}
