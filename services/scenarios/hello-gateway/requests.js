// The request of the scenario, for load.js and verify.js. Only the hello service and the scripts
// have the key of the signature, so a gateway that responds by itself fails the check.
//
// Exports
//   greeting   the ordinary request
export const greeting = {
  path: '/gateway?name={nonce}',
  expect: {
    status: 200,
    type: 'text/plain',
    text: 'Hello {nonce}! {stamp} {signature}',
    signing: { key: __ENV.TACHO_SIGNING_KEY, text: '{nonce} {stamp}' },
  },
};
