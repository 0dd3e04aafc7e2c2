import { touchedFiles } from './patch-text.ts';
import { codexMcp, listOf, madeByCodex, renamed } from './renamed.ts';
import { known } from './translate.ts';
import type { ToolAliases } from './types.ts';

const absolute = { absolute: true } as const;
const grep = renamed('grep', { pattern: 'pattern', path: 'path', glob: 'glob' }, { ...absolute, matchedBy: ['rg'] });
const glob = renamed('glob', { pattern: 'pattern', path: 'path' }, absolute);

/** The tools of Copilot's command line. */
export const copilotTools: ToolAliases = {
  terminal: renamed(process.platform === 'win32' ? 'powershell' : 'bash', { command: 'command', timeout: 'timeout' }),
  read_file: {
    call(input, place) {
      const { name, input: named } = renamed('view', { path: 'path' }, absolute).call(input, place);
      const { offset, limit } = input;
      const ranged = typeof offset === 'number' && typeof limit === 'number';
      return { name, input: ranged ? { ...named, view_range: [offset, offset + limit - 1] } : named };
    },
    back(changed, input, place) {
      const named = renamed('view', { path: 'path' }, absolute).back(changed, input, place);
      const [first, last] = listOf(changed.view_range);
      if (typeof named === 'string' || typeof first !== 'number' || typeof last !== 'number') return named;
      return { ...named, offset: first, limit: last - first + 1 };
    },
  },
  list_files: renamed('view', { path: 'path' }, absolute),
  search_files: {
    call: (input, place) => (input.target === 'files' ? glob : grep).call(input, place),
    back: (changed, input, place) => (input.target === 'files' ? glob : grep).back(changed, input, place),
  },
  write_file: renamed('create', { path: 'path', content: 'file_text' }, absolute),
  patch: renamed(
    'edit',
    { path: 'path', old_string: 'old_str', new_string: 'new_str' },
    { ...absolute, matchedBy: ['str_replace_editor', 'apply_patch'] },
  ),
  todo: renamed('update_todo', { items: 'todos' }),
  delegate: renamed('task', { name: 'description', task: 'prompt' }),
  ask_user: renamed('ask_user', { question: 'question', choices: 'choices' }),
  codex_command: madeByCodex(({ command }) => ({ name: 'bash', input: known({ command }) })),
  codex_edit: madeByCodex(({ paths }) => ({
    name: 'apply_patch',
    input: { input: touchedFiles(listOf(paths).map(String)) },
    matchedBy: ['edit'],
  })),
  codex_mcp: codexMcp,
};
