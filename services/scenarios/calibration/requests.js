// The request of the scenario, for load.js and verify.js.
//
// Exports
//   calibration   the ordinary request
export const calibration = {
  path: '/calibration?nonce={nonce}',
  expect: { status: 200, type: 'text/plain', pattern: '^[0-9]+$' },
};
