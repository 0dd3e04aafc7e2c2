import type { HookPort } from './port.ts';

/** Where nothing of the session is told to hooks. */
export const noHooks: HookPort = {
  has: () => false,
  answers: () => false,
  fire: async () => ({}),
  ask: async () => ({}),
  stream: () => undefined,
  waitingFor: () => [],
};
