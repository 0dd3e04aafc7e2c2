import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  claudeTools,
  foreignCall,
  foreignResponse,
  ownInput,
  ownResult,
  type Values,
} from '../../../../src/agent/hooks/dialects/tool-aliases/index.ts';

const cwd = '/project';
const of = (tool_name: string, tool_input: unknown) => ({ tool_name, tool_input, cwd });

/** What a tool's input is for the other system, and what comes back when a hook changes nothing. */
function thereAndBack(tool: string, input: Values) {
  const { name, input: foreign } = foreignCall(claudeTools, of(tool, input));
  return { name, foreign, back: ownInput(claudeTools, of(tool, input), foreign) };
}

const CALLS: readonly (readonly [tool: string, input: Values, name: string, foreign: Values])[] = [
  ['terminal', { command: 'ls', timeout: 5 }, 'Bash', { command: 'ls', description: 'Run ls', timeout: 5000 }],
  [
    'terminal',
    { command: 'ls', background: true },
    'Bash',
    { command: 'ls', description: 'Run ls', run_in_background: true },
  ],
  ['read_file', { path: 'a.ts', offset: 5, limit: 10 }, 'Read', { file_path: '/project/a.ts', offset: 5, limit: 10 }],
  ['write_file', { path: 'a.ts', content: 'x' }, 'Write', { file_path: '/project/a.ts', content: 'x' }],
  [
    'patch',
    { path: 'a.ts', old_string: 'a', new_string: 'b' },
    'Edit',
    { file_path: '/project/a.ts', old_string: 'a', new_string: 'b', replace_all: false },
  ],
  ['list_files', { path: 'src' }, 'LS', { path: '/project/src' }],
  [
    'search_files',
    { pattern: 'a+', path: 'src', ignore_case: true, limit: 5 },
    'Grep',
    { pattern: 'a+', path: '/project/src', output_mode: 'content', '-i': true, head_limit: 5 },
  ],
  ['search_files', { pattern: 'a', target: 'files' }, 'Glob', { pattern: '**/*a*' }],
  [
    'todo',
    { items: [{ id: 'x', content: 'c', status: 'pending' }] },
    'TodoWrite',
    { todos: [{ content: 'c', status: 'pending', activeForm: 'c' }] },
  ],
  [
    'delegate',
    { name: 'n', task: 't', background: true },
    'Agent',
    { description: 'n', prompt: 't', subagent_type: 'general-purpose', run_in_background: true },
  ],
  [
    'delegate',
    { name: 'n', task: 't', agent: 'reviewer' },
    'Agent',
    { description: 'n', prompt: 't', subagent_type: 'reviewer', run_in_background: false },
  ],
  ['skill', { name: 's', arguments: 'a' }, 'Skill', { skill: 's', args: 'a' }],
  [
    'ask_user',
    { question: 'q?', choices: ['a'], multiple: false },
    'AskUserQuestion',
    {
      questions: [{ question: 'q?', header: '', options: [{ label: 'a', description: '' }], multiSelect: false }],
    },
  ],
  ['process', { action: 'kill', id: 'p1' }, 'TaskStop', { task_id: 'p1' }],
  ['process', { action: 'list' }, 'process', { action: 'list' }],
];

describe('our tools as those of Claude Code', () => {
  for (const [tool, input, name, foreign] of CALLS) {
    it(`${tool} is ${name}, and comes back as it was: ${JSON.stringify(input)}`, () => {
      deepEqual(thereAndBack(tool, input), { name, foreign, back: input });
    });
  }

  it('takes a path that a hook changed as it is', () => {
    const changed = { file_path: '/project/b.ts', content: 'x' };
    deepEqual(ownInput(claudeTools, of('write_file', { path: 'a.ts', content: 'x' }), changed), {
      path: '/project/b.ts',
      content: 'x',
    });
  });

  it('says what is missing in an input that cannot be used', () => {
    equal(ownInput(claudeTools, of('write_file', { path: 'a' }), { path: 'b' }), 'it has no file_path and content');
  });

  it('survives whatever a model wrote', () => {
    for (const tool of Object.keys(claudeTools)) {
      for (const input of [null, [], 'x', 5, { path: 5, items: 5, command: [] }])
        foreignCall(claudeTools, of(tool, input));
    }
    equal(foreignCall(claudeTools, of('constructor', {})).name, 'constructor');
  });

  it('tells of found files and of lines that were found', () => {
    const result = { tool_result: 'src/a.ts\nsrc/b.ts', status: 'success', duration_ms: 3 } as const;
    deepEqual(foreignResponse(claudeTools, { ...of('search_files', { target: 'files', pattern: 'a' }), ...result }), {
      filenames: ['/project/src/a.ts', '/project/src/b.ts'],
      durationMs: 3,
      numFiles: 2,
      truncated: false,
    });
  });

  it('tells of a part of a file where it starts and how long the file is', () => {
    const tool_result = '2|b\n3|c\n[Lines 2–3 of 9. Go on with offset 4.]';
    const call = {
      ...of('read_file', { path: 'a', offset: 2 }),
      tool_result,
      status: 'success',
      duration_ms: 1,
    } as const;
    const { file } = foreignResponse(claudeTools, call) as { file: Values };
    deepEqual(file, { filePath: '/project/a', content: 'b\nc', numLines: 2, startLine: 2, totalLines: 9 });
  });

  it('makes text of a response that it does not know', () => {
    equal(ownResult(claudeTools, of('mcp__a__b', {}), [{ type: 'text', text: 'x' }]), 'x');
    equal(ownResult(claudeTools, of('mcp__a__b', {}), { a: 1 }), '{"a":1}');
  });
});
