// The request of the scenario, for load.js and verify.js. Only the mock upstream and the scripts
// have the key of the signature.
//
// Exports
//   call   the ordinary request
export const call = {
  path: '/?nonce={nonce}',
  expect: {
    status: 200,
    type: 'text/plain',
    text: '{signature}',
    signing: { key: __ENV.TACHO_SIGNING_KEY, text: '{nonce}' },
  },
};
