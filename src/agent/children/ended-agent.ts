/** What is answered for an agent that has ended or is ending. */

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
    message:
      'This agent has ended, or is being stopped, and reads nothing any more. Send your message to the session that it works for.',
  };
}
