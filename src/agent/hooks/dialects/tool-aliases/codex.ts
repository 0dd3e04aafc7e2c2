import { addedFile, inputFromPatch, touchedFiles, updatedFile } from './patch-text.ts';
import { codexMcp, fieldOf, listOf, madeByCodex } from './renamed.ts';
import { known } from './translate.ts';
import type { CallResult, ToolAlias, ToolAliases, Values } from './types.ts';

/** Reading, listing and searching files have no names in Codex, which runs commands for them: they keep ours. */
export const codexTools: ToolAliases = {
  terminal: {
    call: ({ command }) => ({ name: 'Bash', input: known({ command }) }),
    back: ({ command }, input) => ({ ...input, command }),
    response: outputOf,
  },
  write_file: edit(
    ({ path, content }) => addedFile(String(path), String(content)),
    (text, input) => inputFromPatch(text, 'write_file', input),
    'A',
  ),
  patch: edit(
    ({ path, old_string, new_string }) => updatedFile(String(path), String(old_string), String(new_string)),
    (text, input) => inputFromPatch(text, 'patch', input),
    'M',
  ),
  delegate: {
    call: ({ name, task }) => ({
      name: 'spawn_agent',
      input: known({ agent_type: name, message: task }),
      matchedBy: ['Agent'],
    }),
    back: ({ message }, input) => ({ ...input, task: message }),
  },
  todo: {
    call: ({ items }) => ({ name: 'update_plan', input: known({ plan: planOf(items) }) }),
    back: ({ plan }, input) => ({ ...input, items: itemsOf(plan) }),
  },
  codex_command: {
    ...madeByCodex(({ command }) => ({ name: 'Bash', input: known({ command }) })),
    response: outputOf,
  },
  codex_edit: madeByCodex(({ paths }) => patchCall(touchedFiles(listOf(paths).map(String)))),
  codex_mcp: codexMcp,
};

function patchCall(command: string) {
  return { name: 'apply_patch', input: { command }, matchedBy: ['Write', 'Edit'] };
}

function edit(
  patch: (input: Values) => string,
  own: (text: string, input: Values) => Values | string,
  letter: 'A' | 'M',
): ToolAlias {
  return {
    call: (input) => patchCall(patch(input)),
    back({ command }, input) {
      if (command === patch(input)) return input;
      return typeof command === 'string' ? own(command, input) : 'it has no patch in `command`';
    },
    response({ status, tool_result, duration_ms }, { path }) {
      if (status !== 'success') return tool_result;
      const seconds = Math.round(duration_ms / 100) / 10;
      const output = `Success. Updated the following files:\n${letter} ${String(path)}\n`;
      return `Exit code: 0\nWall time: ${seconds} seconds\nOutput:\n${output}`;
    },
  };
}

/** What a command printed, without what is added to it for the model. */
function outputOf({ tool_facts, tool_result }: CallResult): string {
  const output = tool_facts?.output;
  return typeof output === 'string' ? output : tool_result;
}

function planOf(items: unknown): unknown {
  if (items === undefined) return undefined;
  return listOf(items).map((item) => ({ step: fieldOf(item, 'content'), status: fieldOf(item, 'status') }));
}

function itemsOf(plan: unknown): unknown {
  return listOf(plan).map((step, index) => ({
    id: String(index + 1),
    content: fieldOf(step, 'step'),
    status: fieldOf(step, 'status'),
  }));
}
