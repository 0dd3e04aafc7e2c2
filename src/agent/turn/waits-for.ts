import type { Item, WaitsFor } from '../../api.ts';
import { type Call, type ControlState, leads } from '../control/index.ts';

/** A running call in words: `label` is the card's label, or the name of the agent that does its work. */
export type DescribeCall = (callId: string) => Pick<WaitsFor, 'what' | 'label'>;

/**
 * What an undelivered item waits for, for its chip. Words are the UI's; `label` is the name of the thing.
 */
export function waitsFor(item: Item, state: ControlState, describe: DescribeCall): WaitsFor | undefined {
  if (item.state.is === 'held') return { what: 'resume', label: '' };
  const turn = state.turn;
  if (item.state.is !== 'pending' || !turn) return undefined;
  if (!leads(item)) return { what: 'turn_end', label: '' };
  const { activity } = turn;
  switch (activity.is) {
    case 'starting':
    case 'hook':
    case 'model':
      return { what: 'model', label: '' };
    case 'backoff':
      return { what: 'backoff', label: '' };
    case 'compaction':
      return { what: 'compaction', label: '' };
    case 'finalizing':
      return { what: 'turn_end', label: '' };
    case 'tool':
    case 'stopping': {
      const call = activity.calls.find(isActive) ?? activity.calls.find((other) => other.state.is !== 'done');
      return call ? { ...describe(call.id), callId: call.id } : { what: 'model', label: '' };
    }
    default:
      return activity satisfies never;
  }
}

function isActive(call: Call): boolean {
  return call.state.is !== 'waiting' && call.state.is !== 'done';
}
