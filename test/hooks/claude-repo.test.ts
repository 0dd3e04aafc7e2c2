import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeTools, foreignCall, isAboutCall } from '../../src/agent/hooks/dialects/tool-aliases/index.ts';
import type { HookPayload } from '../../src/hooks-api.ts';
import type { Script } from '../model-server/index.ts';
import { event } from '../unit/turn/rig.ts';
import { Repository } from './repository.ts';

type Fields = Readonly<Record<string, unknown>>;

const recordings = new URL('../fixtures/recorded-hooks/claude/', import.meta.url);
const recorded = <T>(name: string): T => JSON.parse(readFileSync(new URL(`${name}.json`, recordings), 'utf8'));

/** The firings of one phase of the recording. */
function recordedOrder(phase: string): readonly string[] {
  return recorded<{ order: string[] }>('order')
    .order.filter((line) => line.startsWith(`${phase}: `))
    .map((line) => line.slice(phase.length + 2));
}

const bash = (command: string, id: string) => ({ call: { name: 'terminal', input: { command }, id } });
const answer = (text: string): Script => ({ steps: [{ text }] });

describe('a repository with hooks for Claude Code, in the real loop', () => {
  let repository: Repository;
  beforeEach(async () => {
    repository = await Repository.open('claude-repo', { '.claude/settings.json': 'claude' }, 'anthropic');
    repository.rig.model = { ref: 'anthropic/claude-opus-5-5', effort: 'medium' };
    for (const command of ['echo hello', 'echo one', 'echo two', 'ls missing', 'tail -f /dev/null']) {
      repository.allow(command);
    }
  });
  afterEach(() => repository.close());

  const toolName = (payload: HookPayload) =>
    isAboutCall(payload) ? foreignCall(claudeTools, payload).name : undefined;
  const order = () => repository.order(toolName);
  const told = () => repository.told('.claude/audit.jsonl');
  /** The body of a request to the model, counted from the end where negative. */
  const request = (index: number) => JSON.stringify(repository.rig.server.requests.at(index)?.body) ?? '';

  /** Streamed text comes through a queue of its own, with no promise of its place among the others. */
  function assertFired(expected: readonly string[]): void {
    const isText = (name: string) => name === 'MessageDisplay';
    const fired = order();
    assert.deepEqual(
      fired.filter((name) => !isText(name)),
      expected.filter((name) => !isText(name)),
    );
    assert.equal(fired.filter(isText).length, expected.filter(isText).length);
  }

  async function turn(text: string, ...scripts: Script[]) {
    repository.rig.server.script(...scripts);
    const { session } = repository;
    const result = await session.settled(session.send(text).turnId);
    await repository.through();
    return result;
  }

  /** The fields that were told are those that were recorded, and so is what does not depend on the machine. */
  function assertAsRecorded(fields: Fields | undefined, like: Fields | undefined): void {
    assert.ok(fields && like);
    assert.deepEqual(Object.keys(fields).sort(), Object.keys(like).sort());
    const here = JSON.stringify(like).replaceAll('<work>', repository.rig.folder);
    assert.deepEqual(comparable(fields), comparable(JSON.parse(here)));
  }

  function assertTold(name: string, like: (one: Fields) => boolean = () => true): void {
    const ours = told().find((fields) => fields.hook_event_name === name && like(fields));
    assertAsRecorded(ours, recorded<Fields[]>(name).find(like));
  }

  it('fires in the order of Claude Code in a turn with calls, and tells what Claude Code tells', async () => {
    await turn(
      'run a tool',
      { steps: [{ text: 'Run.' }, bash('echo hello', 'call_1')] },
      { steps: [{ call: { name: 'read_file', input: { path: 'README.md' }, id: 'call_2' } }] },
      { steps: [bash('ls missing', 'call_3')] },
      answer('Done.'),
    );
    assertFired(['SessionStart', ...recordedOrder('tool turn')]);
    assertTold('SessionStart');
    assertTold('UserPromptSubmit');
    assertTold('MessageDisplay');
    for (const tool of ['Bash', 'Read']) {
      assertTold('PreToolUse', ({ tool_name }) => tool_name === tool);
      assertTold('PostToolUse', ({ tool_name }) => tool_name === tool);
    }
    assertTold('Stop');
    const failure = told().find(({ hook_event_name }) => hook_event_name === 'PostToolUseFailure');
    assert.equal(failure?.is_interrupt, false);
    assert.match(String(failure?.error), /^Exit code 2\nls: .*missing/);
    assert.doesNotMatch(String(failure?.error), /\[exit/);
  });

  it('tells the model of a refused call in the words of Claude Code', async () => {
    await turn('run a blocked tool', { steps: [bash('echo BLOCKME', 'call_1')] }, answer('Blocked, fine.'));
    assertFired(['SessionStart', ...recordedOrder('blocked tool')]);
    const guard = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh';
    const { content } = recorded<{ content: string }>('blocked-as-seen-by-model');
    const words = content.replace('<home>/dump.sh PreToolUse', guard);
    const [result] = repository.session.rows().filter((row) => row.kind === 'tool_result');
    assert.deepEqual([result?.displayText, result?.status], [words, 'blocked']);
    assert.ok(request(-1).includes(JSON.stringify(words).slice(1, -1)));
    assert.equal(result?.card?.blockedBy?.reason, 'blocked by the test hook');
  });

  it('tells of each of several calls, and once of all together', async () => {
    await turn('two tools', { steps: [bash('echo one', 'call_1'), bash('echo two', 'call_2')] }, answer('Done.'));
    // Commands do not run side by side here, so each is asked about and told of on its own.
    const [fired, theirs] = [order().slice(1), recordedOrder('parallel')];
    assert.deepEqual([...fired].sort(), [...theirs].sort());
  });

  it('tells nothing more when the user stops a tool', async () => {
    const { session, rig } = repository;
    rig.server.script({ steps: [bash('tail -f /dev/null', 'call_1')] });
    const { turnId } = session.send('long tool');
    await event(session, 'tool', ({ state }) => state === 'running');
    session.stop();
    await session.settled(turnId);
    await repository.through();
    assertFired(['SessionStart', ...recordedOrder('stop in tool')]);
  });

  it('tells of a delegated agent by its start and its end, and of nothing that is a session’s', async () => {
    const delegate = { call: { name: 'delegate', input: { name: 'sub', task: 'SUBTASK please' }, id: 'call_1' } };
    await turn('delegate', { steps: [delegate] }, answer('Sub answer.'), answer('done'));
    // The recording begins with the end of another turn.
    const theirs = recordedOrder('subagent').slice(3);
    assertFired(['SessionStart', ...theirs]);
    assertTold('SubagentStart');
    assertTold('PreToolUse', ({ tool_name }) => tool_name === 'Agent');
  });

  it('tells of an error that ends the turn', async () => {
    repository.rig.server.script({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message: 'scripted refusal' } },
    });
    const { session } = repository;
    await session.settled(session.send('fail please').turnId);
    await repository.through();
    const failure = told().find(({ hook_event_name }) => hook_event_name === 'StopFailure');
    const [like] = recorded<Fields[]>('StopFailure');
    assert.deepEqual(Object.keys(failure ?? {}).sort(), Object.keys(like ?? {}).sort());
    assert.equal(order().includes('Stop'), false);
  });

  it('gives the model what hooks write at the start and beside a prompt', async () => {
    await turn('hi', answer('Hello.'));
    assert.match(request(0), /run with: sh test\.sh/);
    assert.match(request(0), /The current branch is main\./);
  });

  it('refuses an edit by JSON, and nothing is written', async () => {
    const write = { call: { name: 'write_file', input: { path: 'package-lock.json', content: '{}' }, id: 'call_1' } };
    await turn('edit', { steps: [write] }, answer('Fine.'));
    const [result] = repository.session.rows().filter((row) => row.kind === 'tool_result');
    assert.match(result?.displayText ?? '', /package-lock\.json is not edited by hand/);
    assert.equal(existsSync(join(repository.rig.folder, 'package-lock.json')), false);
  });

  it('formats an edited file and tells the model', async () => {
    const write = { call: { name: 'write_file', input: { path: 'a.txt', content: 'one  \ntwo\n' }, id: 'call_1' } };
    await turn('edit', { steps: [write] }, answer('Done.'));
    assert.equal(readFileSync(join(repository.rig.folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
    assert.match(request(-1), /The formatter changed the file\./);
    const response = told().find(({ hook_event_name }) => hook_event_name === 'PostToolUse')?.tool_response;
    assert.equal((response as Fields).type, 'create');
  });

  it('runs a call with the whole input that a hook made of it', async () => {
    await turn('push', { steps: [bash('git push origin main', 'call_1')] }, answer('Done.'));
    const [result] = repository.session.rows().filter((row) => row.kind === 'tool_result');
    assert.match(result?.displayText ?? '', /would run: git push origin main/);
  });

  it('decides a card in the place of the user', async () => {
    await turn('test', { steps: [bash('sh test.sh', 'call_1')] }, answer('Done.'));
    assert.equal(repository.lines('.claude/tests.log').length, 2);
    const request = told().find(({ hook_event_name }) => hook_event_name === 'PermissionRequest');
    const [like] = recorded<Fields[]>('PermissionRequest');
    assert.deepEqual(Object.keys(request ?? {}).sort(), Object.keys(like ?? {}).sort());
  });

  it('has the agent go on once when the tests fail', async () => {
    writeFileSync(join(repository.rig.folder, 'BROKEN'), '');
    await turn('finish', answer('Done.'), answer('I cannot mend it.'));
    assert.match(request(-1), /The tests fail: BROKEN is still there/);
    assert.equal(repository.lines('.claude/tests.log').length, 1);
    const stops = told().filter(({ hook_event_name }) => hook_event_name === 'Stop');
    assert.deepEqual(
      stops.map(({ stop_hook_active }) => stop_hook_active),
      [false, true],
    );
  });

  it('fires around a compaction and tells the session that goes on', async () => {
    await turn('hi', answer('Hello.'));
    const before = order().length;
    repository.rig.server.script(answer('SUMMARY'));
    repository.session.compact();
    await repository.session.settled();
    await repository.through();
    const own = recordedOrder('compact').filter((name) => name !== 'SubagentStop');
    assert.deepEqual(order().slice(before), own);
    assertTold('PreCompact');
    assertTold('PostCompact', () => true);
    assertTold('SessionStart', ({ source }) => source === 'compact');
  });
});

/** Without what is another one on each machine and in each run, and without the model's own words about a command. */
function comparable(fields: Fields): Fields {
  const { session_id, transcript_path, prompt_id, tool_use_id, duration_ms, turn_id, message_id, agent_id, ...rest } =
    fields;
  const ids = { session_id, transcript_path, prompt_id, tool_use_id, duration_ms, turn_id, message_id, agent_id };
  const kinds = Object.fromEntries(Object.entries(ids).map(([key, value]) => [key, typeof value]));
  const { cwd: _cwd, prompt: _prompt, delta: _delta, compact_summary: _summary, ...same } = rest;
  const { description: _description, ...input } = (same.tool_input ?? {}) as Fields;
  return { ...same, ...(same.tool_input === undefined ? {} : { tool_input: input }), ...kinds };
}
