import { touchedFiles } from './patch-text.ts';
import { codexMcp, fieldOf, listOf, madeByCodex, renamed } from './renamed.ts';
import { known } from './translate.ts';
import type { ToolAlias, ToolAliases } from './types.ts';

const absolute = { absolute: true } as const;
const grep = renamed('grep_search', { pattern: 'query', glob: 'includePattern', limit: 'maxResults' });
const find = renamed('file_search', { pattern: 'query', limit: 'maxResults' });

/** The agent tools of VS Code. */
export const vscodeTools: ToolAliases = {
  terminal: {
    call: ({ command, background, timeout }) => ({
      name: 'run_in_terminal',
      input: known({ command, isBackground: background === true, timeout: milliseconds(timeout) }),
    }),
    back: ({ command, isBackground }, input) => ({ ...input, command, background: isBackground === true }),
  },
  read_file: {
    call(input, place) {
      const { name, input: named } = path('read_file').call(input, place);
      const offset = typeof input.offset === 'number' ? input.offset : 1;
      const limit = typeof input.limit === 'number' ? input.limit : 500;
      return { name, input: { ...named, startLine: offset, endLine: offset + limit - 1 } };
    },
    back(changed, input, place) {
      const named = path('read_file').back(changed, input, place);
      const { startLine: offset, endLine: last } = changed;
      if (typeof named === 'string' || typeof offset !== 'number' || typeof last !== 'number') return named;
      return { ...named, offset, limit: last - offset + 1 };
    },
  },
  list_files: renamed('list_dir', { path: 'path' }, absolute),
  search_files: {
    call(input, place) {
      if (input.target === 'files') return find.call(input, place);
      const { name, input: named } = grep.call(input, place);
      return { name, input: { ...named, isRegexp: true } };
    },
    back: (changed, input, place) => (input.target === 'files' ? find : grep).back(changed, input, place),
  },
  write_file: renamed('create_file', { path: 'filePath', content: 'content' }, absolute),
  patch: renamed(
    'replace_string_in_file',
    { path: 'filePath', old_string: 'oldString', new_string: 'newString' },
    { ...absolute, matchedBy: ['multi_replace_string_in_file'] },
  ),
  diagnostics: renamed('get_errors', { paths: 'filePaths' }),
  todo: {
    call: ({ items }) => ({
      name: 'manage_todo_list',
      input: items === undefined ? { operation: 'read' } : { operation: 'write', todoList: listOf(items).map(todoOf) },
    }),
    back: ({ todoList }, input) =>
      todoList === undefined ? input : { ...input, items: listOf(todoList).map(ownTodoOf) },
  },
  delegate: renamed('runSubagent', { name: 'description', task: 'prompt' }),
  ask_user: renamed('vscode_askQuestions', { question: 'question', choices: 'options' }),
  codex_command: madeByCodex(({ command }) => ({ name: 'run_in_terminal', input: known({ command }) })),
  codex_edit: madeByCodex(({ paths }) => ({
    name: 'apply_patch',
    input: { input: touchedFiles(listOf(paths).map(String)) },
  })),
  codex_mcp: codexMcp,
};

function path(name: string): ToolAlias {
  return renamed(name, { path: 'filePath' }, absolute);
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}

const theirStatus: Readonly<Record<string, string>> = { pending: 'not-started', in_progress: 'in-progress' };
const ourStatus: Readonly<Record<string, string>> = { 'not-started': 'pending', 'in-progress': 'in_progress' };

function todoOf(item: unknown, index: number) {
  const status = String(fieldOf(item, 'status'));
  return { id: index + 1, title: fieldOf(item, 'content'), status: theirStatus[status] ?? 'completed' };
}

function ownTodoOf(item: unknown) {
  const status = String(fieldOf(item, 'status'));
  return { id: String(fieldOf(item, 'id')), content: fieldOf(item, 'title'), status: ourStatus[status] ?? status };
}
