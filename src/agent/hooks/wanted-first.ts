import type { HookPayload } from '../../hooks-api.ts';
import { anyFits, eachFits, type Fit, notFits, type Soon } from '../kernel/patterns/index.ts';
import type { Hook } from './types.ts';

/**
 * Whether a hook wants a payload that none of its twins wants, which run instead of it. Where a twin's matcher cannot be
 * judged both run: once too often is better than never.
 */
export function wantedFirst(hook: Hook, twins: readonly Hook[], payload: HookPayload): Soon<Fit> {
  return eachFits([() => hook.matches(payload), () => notFits(anyFits(twins, (twin) => twin.matches(payload)))]);
}
