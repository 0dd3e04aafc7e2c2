import { listOf, madeByCodex, renamed } from './renamed.ts';
import { known } from './translate.ts';
import type { ToolAliases } from './types.ts';

/** The tools of Cline, whose paths are relative like ours. Its hooks cannot change a call, so nothing comes back. */
export const clineTools: ToolAliases = {
  terminal: renamed('execute_command', { command: 'command', timeout: 'timeout' }),
  read_file: renamed('read_file', { path: 'path' }),
  list_files: {
    ...renamed('list_files', { path: 'path' }),
    call: ({ path, depth }) => ({ name: 'list_files', input: known({ path, recursive: depth !== 1 }) }),
  },
  search_files: renamed('search_files', { path: 'path', pattern: 'regex', glob: 'file_pattern' }),
  write_file: renamed('write_to_file', { path: 'path', content: 'content' }),
  patch: {
    ...renamed('replace_in_file', { path: 'path' }),
    call: ({ path, old_string, new_string }) => ({
      name: 'replace_in_file',
      input: known({ path, diff: searchAndReplace(String(old_string), String(new_string)) }),
    }),
  },
  delegate: renamed('new_task', { task: 'context' }),
  ask_user: renamed('ask_followup_question', { question: 'question', choices: 'options' }),
  codex_command: madeByCodex(({ command }) => ({ name: 'execute_command', input: known({ command }) })),
  // One call of Codex may change several files, one of Cline only one: all are named beside it.
  codex_edit: madeByCodex(({ paths }) => ({
    name: 'replace_in_file',
    input: known({ path: listOf(paths)[0], paths }),
  })),
  codex_mcp: madeByCodex(({ server, tool, arguments: input }) => ({
    name: 'use_mcp_tool',
    input: known({ server_name: server, tool_name: tool, arguments: JSON.stringify(input ?? {}) }),
  })),
};

function searchAndReplace(before: string, after: string): string {
  return `------- SEARCH\n${before}\n=======\n${after}\n+++++++ REPLACE`;
}
