/** Arguments that a tool does not have: by another program's name where that means the same, else an error that helps. */

import assert from 'node:assert/strict';
import { argumentNames, toolSpecs, withOwnNames } from '../../src/agent/tools/index.ts';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import { Rig } from '../unit/turn/rig.ts';

describe('arguments by other names', () => {
  let rig: Rig;
  let session: LiveSession;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    rig.write('a.txt', 'one\ntwo\nthree\nfour\n');
    session = rig.agent.create();
  });

  afterEach(() => rig.close());

  /** What the model is told of its call. */
  async function call(
    name: string,
    input: object,
  ): Promise<{ readonly status: string | undefined; readonly text: string }> {
    rig.server.script(
      { steps: [{ call: { name, input: input as Record<string, unknown> } }] },
      { steps: [{ text: 'Done.' }] },
    );
    await session.settled(session.send('Go').turnId);
    const row = session.rows().findLast(({ kind }) => kind === 'tool_result');
    return { status: row?.status, text: (row?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('') };
  }

  it('G3. reads from start_line on, and no further than end_line', async () => {
    const { status, text } = await call('read_file', { file_path: 'a.txt', start_line: 2, end_line: 3 });
    assert.equal(status, 'success');
    assert.match(text, /two/);
    assert.match(text, /three/);
    assert.doesNotMatch(text, /one|four/);
  });

  it('G3. takes todos for the items of the list, numbered by their place', async () => {
    const todos = [{ content: 'First', status: 'pending', activeForm: 'Doing the first' }];
    const { status, text } = await call('todo', { todos });
    assert.equal(status, 'success');
    assert.match(text, /First/);
  });

  it('G3. takes the words of another case for its own', async () => {
    const { status, text } = await call('search_files', { Pattern: 'TWO', ignoreCase: true, maxResults: 1 });
    assert.equal(status, 'success');
    assert.match(text, /a\.txt/);
  });

  it('G3. takes run_in_background, a time in milliseconds and a sentence for people as tools of others mean them', () => {
    const tool = rig.registry.find('terminal') ?? assert.fail();
    const known = argumentNames(toolSpecs([tool])[0]?.inputSchema);
    const written = { cmd: 'npm start', run_in_background: true, timeout_ms: 5_000, description: 'Starts it' };
    assert.deepEqual(withOwnNames(written, known, tool.otherNames), {
      command: 'npm start',
      background: true,
      timeout: 5,
    });
  });

  const UNKNOWN: readonly (readonly [name: string, input: object, says: RegExp])[] = [
    ['read_file', { path: 'a.txt', ofset: 2 }, /unknown argument "ofset"; did you mean "offset"\?/],
    ['read_file', { path: 'a.txt', zzz: 2 }, /unknown argument "zzz"\. The arguments are: path, offset, limit\./],
    ['search_files', { pattern: 'a', case_sensitive: 'maybe' }, /unknown argument "case_sensitive"/],
    [
      'todo',
      { items: [{ id: '1', content: 'a', status: 'pending', priority: 'high' }] },
      /items\.0: unknown argument "priority".*id, content, status/,
    ],
    ['read_file', { path: 'a.txt', offset: 1, start_line: 2 }, /unknown argument "start_line"/],
    ['write_file', { path: 'b.txt', content: 'x', append: true }, /unknown argument "append"/],
    ['patch', { path: 'a.txt', old_string: 'one', new_string: '1', count: 2 }, /unknown argument "count"/],
    ['terminal', { command: 'true', stdin: 'x' }, /unknown argument "stdin"/],
    ['list_files', { path: '.', recursive: true }, /unknown argument "recursive"/],
    ['process', { action: 'list', signal: 9 }, /unknown argument "signal"/],
    ['diagnostics', { severity: 'error' }, /unknown argument "severity"/],
    ['ask_user', { question: 'Which?', default: 'a' }, /unknown argument "default"/],
    ['delegate', { name: 'a', task: 'b', model: 'c' }, /unknown argument "model"/],
  ];
  for (const [name, input, says] of UNKNOWN) {
    it(`G3a. says what is unknown to ${name} and nearest to it: ${Object.keys(input).at(-1)}`, async () => {
      const { status, text } = await call(name, input);
      assert.equal(status, 'error');
      assert.match(text, says);
      assert.match(text, /nothing was run/);
    });
  }

  it('G3b. has names for every tool, each of which leads to an argument that the tool has', () => {
    for (const tool of rig.registry.list().filter(({ inputSchema }) => inputSchema === undefined)) {
      const known = argumentNames(toolSpecs([tool])[0]?.inputSchema);
      assert.ok(tool.otherNames !== undefined, tool.name);
      for (const [name, other] of Object.entries(tool.otherNames)) {
        const to = typeof other === 'object' ? other?.to : other;
        assert.ok(to === undefined || known.includes(to), `${tool.name}: ${name} → ${to}`);
        assert.ok(!known.includes(name), `${tool.name}: ${name} is its own`);
      }
    }
  });
});
