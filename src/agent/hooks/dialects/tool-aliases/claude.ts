/**
 * Our tools as Claude Code's, in the shapes that it really sends (recorded in test/fixtures/recorded-hooks).
 */

import { answersOf, questionCall } from './claude-question.ts';
import {
  editResponse,
  foundFiles,
  foundLines,
  readResponse,
  shellFailure,
  shellResponse,
  shellText,
  writeResponse,
} from './claude-responses.ts';
import { codexMcp, listOf, madeByCodex } from './renamed.ts';
import { absolutePath, known, ownPath, textOf, valuesOf } from './translate.ts';
import type { CallPlace, ToolAlias, ToolAliases, Values } from './types.ts';

/** Defaults of ours, which the model need not write: theirs leave them out as well. */
const READ = { offset: 1, limit: 500 };

const bash: ToolAlias = {
  call: ({ command, timeout, background, ...rest }) => ({
    name: 'Bash',
    input: known({
      command,
      description: descriptionOf(command),
      timeout: typeof timeout === 'number' ? timeout * 1000 : timeout,
      run_in_background: background === true ? true : undefined,
      ...rest,
    }),
  }),
  back: ({ command, timeout, run_in_background, cwd }) =>
    typeof command === 'string'
      ? known({
          command,
          cwd,
          timeout: typeof timeout === 'number' ? timeout / 1000 : undefined,
          background: run_in_background === true ? true : undefined,
        })
      : 'it has no command',
  response: shellResponse,
  failure: shellFailure,
  text: shellText,
};

/** Their model writes what the command is for; of ours the command itself is known. */
function descriptionOf(command: unknown): string | undefined {
  if (typeof command !== 'string') return undefined;
  const [line = ''] = command.trim().split('\n', 1);
  return `Run ${line.length > 100 ? `${line.slice(0, 99)}…` : line}`;
}

const read: ToolAlias = {
  call: ({ path, offset, limit, ...rest }, place) => ({
    name: 'Read',
    input: known({
      file_path: absolutePath(path, place) ?? path,
      offset: offset === READ.offset ? undefined : offset,
      limit: limit === READ.limit ? undefined : limit,
      ...rest,
    }),
  }),
  back: ({ file_path, offset, limit }, input, place) =>
    typeof file_path === 'string'
      ? known({ path: ownPath(file_path, input.path, place), offset, limit })
      : 'it has no file_path',
  response: readResponse,
  text: (response) => {
    const { content } = valuesOf(valuesOf(response).file);
    return typeof content === 'string' ? content : undefined;
  },
};

const write: ToolAlias = {
  call: ({ path, ...rest }, place) => ({
    name: 'Write',
    input: known({ file_path: absolutePath(path, place) ?? path, ...rest }),
  }),
  back: ({ file_path, content }, input, place) =>
    typeof file_path === 'string' && typeof content === 'string'
      ? { path: ownPath(file_path, input.path, place), content }
      : 'it has no file_path and content',
  response: writeResponse,
};

const edit: ToolAlias = {
  call: ({ path, old_string, new_string, replace_all, ...rest }, place) => ({
    name: 'Edit',
    input: known({
      file_path: absolutePath(path, place) ?? path,
      old_string,
      new_string,
      replace_all: replace_all === true,
      ...rest,
    }),
    matchedBy: ['MultiEdit'],
  }),
  back: ({ file_path, old_string, new_string, replace_all }, input, place) =>
    typeof file_path === 'string' && typeof old_string === 'string' && typeof new_string === 'string'
      ? known({
          path: ownPath(file_path, input.path, place),
          old_string,
          new_string,
          replace_all: replace_all === true ? true : undefined,
        })
      : 'it has no file_path, old_string and new_string',
  response: editResponse,
};

const search: ToolAlias = {
  call: (input, place) => (input.target === 'files' ? globCall(input, place) : grepCall(input, place)),
  back(changed, input, place) {
    if (typeof changed.pattern !== 'string') return 'it has no pattern';
    const path = changed.path === undefined ? undefined : ownPath(changed.path, input.path, place);
    if (input.target === 'files') {
      const same = changed.pattern === globOf(input.pattern);
      return known({ ...input, pattern: same ? input.pattern : changed.pattern, path });
    }
    const { pattern, glob, '-i': ignoreCase, '-C': context, head_limit, offset } = changed;
    return known({ ...input, pattern, path, glob, ignore_case: ignoreCase, context, limit: head_limit, offset });
  },
  response: (result, input, place) => (input.target === 'files' ? foundFiles(result, place) : foundLines(result)),
  text: (response) => {
    const { content, filenames } = valuesOf(response);
    return Array.isArray(filenames) && content === undefined ? filenames.join('\n') : textOf(content);
  },
};

function grepCall({ pattern, path, glob, ignore_case, context, limit, offset }: Values, place: CallPlace) {
  return {
    name: 'Grep',
    input: known({
      pattern,
      path: absolutePath(path, place),
      glob,
      output_mode: 'content',
      '-i': ignore_case === true ? true : undefined,
      '-C': context === 0 ? undefined : context,
      head_limit: limit,
      offset: offset === 0 ? undefined : offset,
    }),
  };
}

function globCall({ pattern, path }: Values, place: CallPlace) {
  return { name: 'Glob', input: known({ pattern: globOf(pattern), path: absolutePath(path, place) }) };
}

/** A part of a path is no pattern there. */
function globOf(pattern: unknown): unknown {
  return typeof pattern !== 'string' || /[*?[\]{}]/.test(pattern) ? pattern : `**/*${pattern}*`;
}

const list: ToolAlias = {
  call: ({ path, ...rest }, place) => ({
    name: 'LS',
    input: known({ path: absolutePath(path ?? '.', place) ?? path, ...rest }),
  }),
  back: ({ path, ...rest }, input, place) => known({ ...rest, path: ownPath(path, input.path ?? '.', place) }),
};

const todo: ToolAlias = {
  call: ({ items }) =>
    Array.isArray(items)
      ? { name: 'TodoWrite', input: { todos: items.map((item) => todoOf(valuesOf(item))) } }
      : { name: 'TodoRead', input: {} },
  back({ todos }, { items }) {
    if (!Array.isArray(todos)) return items === undefined ? {} : 'it has no todos';
    const before = Array.isArray(items) ? items.map(valuesOf) : [];
    return { items: todos.map((one, index) => itemOf(valuesOf(one), index, before)) };
  },
};

/** Theirs have no ids, and say what is being done beside what is to be done. */
function todoOf({ content, status }: Values): Values {
  return { content, status, activeForm: content };
}

function itemOf({ content, status }: Values, index: number, before: readonly Values[]): Values {
  const same = before.find((item) => item.content === content) ?? before[index];
  return { id: same?.id ?? `${index + 1}`, content, status };
}

/** Claude Code's name for an agent without a role. */
const NO_ROLE = 'general-purpose';

const agent: ToolAlias = {
  call: ({ name, task, agent: role, background }) => ({
    name: 'Agent',
    input: known({
      description: name,
      prompt: task,
      subagent_type: role ?? NO_ROLE,
      run_in_background: background === true,
    }),
    matchedBy: ['Task'],
  }),
  back: ({ description, prompt, subagent_type, run_in_background }, { name }) =>
    typeof prompt === 'string'
      ? known({
          name: description ?? name,
          task: prompt,
          agent: subagent_type === NO_ROLE ? undefined : subagent_type,
          background: run_in_background === true ? true : undefined,
        })
      : 'it has no prompt',
  response: ({ tool_result, duration_ms, status }, { task, agent: role }) => ({
    status: status === 'success' ? 'completed' : status,
    prompt: task,
    agentType: role ?? NO_ROLE,
    content: [{ type: 'text', text: tool_result }],
    totalDurationMs: duration_ms,
  }),
};

const question: ToolAlias = {
  call: (input) => ({ name: 'AskUserQuestion', input: questionCall(input) }),
  back: answersOf,
};

const background: ToolAlias = {
  call: ({ action, id, ...rest }) => {
    if (action === 'poll') {
      return { name: 'TaskOutput', input: known({ task_id: id, ...rest }), matchedBy: ['BashOutput'] };
    }
    if (action === 'kill') return { name: 'TaskStop', input: known({ task_id: id }), matchedBy: ['KillShell'] };
    return { name: 'process', input: known({ action, id, ...rest }) };
  },
  back: ({ task_id, ...rest }, { action }) =>
    action === 'poll' || action === 'kill' ? known({ ...rest, action, id: task_id }) : rest,
};

const skill: ToolAlias = {
  call: ({ name, arguments: args, ...rest }) => ({ name: 'Skill', input: known({ skill: name, args, ...rest }) }),
  back: ({ skill: name, args, ...rest }) =>
    typeof name === 'string' ? known({ name, arguments: args, ...rest }) : 'it has no skill',
};

export const claudeTools: ToolAliases = {
  terminal: bash,
  read_file: read,
  write_file: write,
  patch: edit,
  search_files: search,
  list_files: list,
  todo,
  delegate: agent,
  ask_user: question,
  process: background,
  skill,
  codex_command: {
    ...madeByCodex(({ command }) => ({ name: 'Bash', input: known({ command }) })),
    response: shellResponse,
    text: shellText,
  },
  codex_edit: madeByCodex(({ paths }, place) => {
    const files = listOf(paths).map((path) => absolutePath(path, place) ?? path);
    // One call of Codex may change several files, one of Claude Code only one: the others are named beside it.
    const others = files.length > 1 ? files : undefined;
    return { name: 'Edit', input: known({ file_path: files[0], paths: others }), matchedBy: ['Write', 'MultiEdit'] };
  }),
  codex_mcp: codexMcp,
  codex_search: madeByCodex(({ query }) => ({ name: 'WebSearch', input: known({ query }) })),
};

/** All names that a call may have here, for telling a matcher that never fits. */
export const claudeToolNames: readonly string[] = [
  ...['Bash', 'Read', 'Write', 'Edit', 'MultiEdit', 'Grep', 'Glob', 'LS', 'TodoWrite', 'TodoRead', 'Agent', 'Task'],
  ...['AskUserQuestion', 'TaskOutput', 'BashOutput', 'TaskStop', 'KillShell', 'Skill', 'diagnostics', 'process'],
];
