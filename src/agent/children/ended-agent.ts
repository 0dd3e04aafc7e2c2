/** What is answered for an agent that does not run here: it has ended, is ending, or runs in another window. */

import type { InputOptions, Receipt } from '../../api.ts';
import type { StorageError } from '../session/index.ts';

export function nothingToStop(seq: number): Receipt {
  return { id: crypto.randomUUID(), verb: 'stop', seq, outcome: 'nothing_running' };
}

export function stoppingElsewhere(seq: number): Receipt {
  return { id: crypto.randomUUID(), verb: 'stop', seq, outcome: 'stopping' };
}

/** The window that runs it could not be told. */
export function notAsked(seq: number, { message }: StorageError): Receipt {
  return { id: crypto.randomUUID(), verb: 'stop', seq, outcome: 'refused', reason: 'storage_busy', message };
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
