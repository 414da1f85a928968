/** Sign-ins of the command line, which a person approves in the browser. */
import { useMutation } from '@tanstack/react-query';
import { client, unwrap } from './client';
import type { DecisionIn, DeviceLoginOut } from './schema';

export type DeviceLogin = DeviceLoginOut;

/** Finds the sign-in that waits with a code. */
export function useFindDeviceLogin() {
  return useMutation({
    mutationFn: (user_code: string) =>
      unwrap(client.POST('/api/v1/device-logins/read', { body: { user_code } })),
  });
}

/** Approves or denies a sign-in. */
export function useDecideDeviceLogin() {
  return useMutation({
    mutationFn: (body: DecisionIn) => unwrap(client.POST('/api/v1/device-logins/decide', { body })),
  });
}
