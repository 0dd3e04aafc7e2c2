import type { HookPayload } from '../../../../hooks-api.ts';
import type { DeclaredHook, DialectRules } from '../types.ts';
import { readOutput } from './output.ts';
import { stdin } from './stdin.ts';

export { hooksOfFolder } from './folder.ts';

/** Hooks of Cline: files of a folder, which `hooksOfFolder` reads. */
export const clineRules: DialectRules = {
  dialect: 'cline',
  readConfig: () => ({
    hooks: [],
    warnings: [],
    broken: 'Hooks of Cline are files of their own, named after an event.',
  }),
  matches,
  stdin,
  environment: () => ({}),
  readOutput,
};

function matches({ declaredAs }: DeclaredHook, payload: HookPayload): boolean {
  if ('source' in payload) {
    const resumes = payload.source === 'resume';
    return payload.source !== 'compact' && resumes === (declaredAs === 'TaskResume');
  }
  if ('will_retry' in payload) return !payload.will_retry;
  if ('status' in payload && 'tool_name' in payload) return payload.status === 'success' || payload.status === 'error';
  return true;
}
