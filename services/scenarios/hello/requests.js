// The requests of the scenario, for load.js and verify.js.
//
// Exports
//   hello         the ordinary request
//   unknownPath   a request that must be refused
export const hello = {
  path: '/hello?nonce={nonce}',
  expect: { status: 200, type: 'text/plain', text: 'Hello World!' },
};

export const unknownPath = {
  share: 0.001,
  isControl: true,
  path: '/{nonce}',
  expect: { status: 404 },
};
