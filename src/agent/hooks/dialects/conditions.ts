import { shellReader } from '../../safety/index.ts';
import type { DeclaredHook } from './types.ts';

/** Loads what the `if` of a hook is judged with, which a matcher cannot wait for. Done before such a hook is registered. */
export async function prepareConditions(hooks: readonly Pick<DeclaredHook, 'when'>[]): Promise<void> {
  if (hooks.some(({ when }) => when !== undefined)) await shellReader({ powershell: false });
}
