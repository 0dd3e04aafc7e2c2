/** What is answered for an agent that has ended. */

import type { InputOptions, Receipt } from '../../api.ts';

export function nothingToStop(seq: number): Receipt {
  return { id: crypto.randomUUID(), verb: 'stop', seq, outcome: 'nothing_running' };
}

export function steerTooLate(seq: number, options: InputOptions | undefined): Receipt {
  return {
    id: options?.id ?? crypto.randomUUID(),
    verb: 'steer',
    seq,
    outcome: 'refused',
    reason: 'closed',
    message: 'This agent has ended and reads nothing any more. Send your message to the session that it worked for.',
  };
}
