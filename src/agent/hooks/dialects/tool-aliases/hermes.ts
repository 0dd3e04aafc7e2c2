import { touchedFiles } from './patch-text.ts';
import { codexMcp, listOf, madeByCodex } from './renamed.ts';
import { known } from './translate.ts';
import type { ToolAliases } from './types.ts';

/** Our tools have the names of Hermes but for these; a matcher may use either name. */
export const hermesTools: ToolAliases = {
  delegate: {
    call: ({ task, ...rest }) => ({
      name: 'delegate_task',
      input: known({ goal: task, ...rest }),
      matchedBy: ['delegate'],
    }),
    back: ({ goal, ...rest }) => known({ task: goal, ...rest }),
  },
  ask_user: {
    call: (input) => ({ name: 'clarify', input, matchedBy: ['ask_user'] }),
    back: (changed) => changed,
  },
  terminal: {
    call: ({ cwd, ...rest }) => ({ name: 'terminal', input: known({ ...rest, workdir: cwd }) }),
    back: ({ workdir, ...rest }) => known({ ...rest, cwd: workdir }),
  },
  codex_command: madeByCodex(({ command, cwd }) => ({ name: 'terminal', input: known({ command, workdir: cwd }) })),
  codex_edit: madeByCodex(({ paths }) => ({
    name: 'patch',
    input: { mode: 'patch', patch: touchedFiles(listOf(paths).map(String)) },
  })),
  codex_mcp: codexMcp,
};
