import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codexTools } from '../../src/agent/hooks/dialects/tool-aliases/codex.ts';
import { foreignCall, isAboutCall } from '../../src/agent/hooks/dialects/tool-aliases/index.ts';
import type { HookPayload } from '../../src/hooks-api.ts';
import type { Script } from '../model-server/index.ts';
import { event } from '../unit/turn/rig.ts';
import { Repository } from './repository.ts';

type Fields = Readonly<Record<string, unknown>>;

const recordings = new URL('../fixtures/recorded-hooks/codex/', import.meta.url);
const recorded = <T>(name: string): T => JSON.parse(readFileSync(new URL(`${name}.json`, recordings), 'utf8'));

/** The firings of one phase of the recording. */
function recordedOrder(phase: RegExp): readonly string[] {
  return recorded<string[]>('order')
    .filter((line) => phase.test(line))
    .map((line) => line.replace(/^.*: /, ''));
}

const answer = (text: string): Script => ({ steps: [{ text }] });

describe('a repository with hooks for Codex, in the real loop', () => {
  let repository: Repository;
  beforeEach(async () => {
    repository = await Repository.open('codex-repo', { '.codex/hooks.json': 'codex' }, 'openai-responses');
  });
  afterEach(async () => {
    await repository.close();
  });

  const toolName = (payload: HookPayload) => (isAboutCall(payload) ? foreignCall(codexTools, payload).name : undefined);
  const order = () => repository.order(toolName);

  /** A command that needs no card. */
  function call(command: string, id: string) {
    repository.allow(command);
    return asking(command, id);
  }

  const asking = (command: string, id: string) => ({ call: { name: 'terminal', input: { command }, id } });

  async function turn(text: string, ...scripts: Script[]) {
    repository.rig.server.script(...scripts);
    const { session } = repository;
    const { turnId } = session.send(text);
    const result = await session.settled(turnId);
    await repository.through();
    return result;
  }

  /** What the model was sent with a request. */
  const sent = (index: number) => JSON.stringify(repository.rig.server.requests.at(index)?.body);

  /** As recorded, but for ids, places and how careful the other program was set to be. */
  function assertLikeRecorded(name: string, told: Fields, like: (one: Fields) => boolean = () => true): void {
    const [one] = recorded<Fields[]>(name).filter(like);
    assert.ok(one, `no recording of ${name}`);
    const same = new Set(['hook_event_name', 'tool_name', 'tool_input', 'tool_response', 'trigger', 'source']);
    const comparable = (fields: Fields) =>
      Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, same.has(key) ? value : kindOf(value)]));
    assert.deepEqual(comparable(told), comparable(one));
  }

  function firedAs(name: string): readonly Fields[] {
    return repository.told().filter((fields) => fields.hook_event_name === name);
  }

  function assertTold(name: string, like?: (one: Fields) => boolean): void {
    const [first] = firedAs(name);
    assert.ok(first, `${name} did not fire`);
    assertLikeRecorded(name, first, like);
  }

  it('fires in the order of Codex in a turn with calls, and tells what Codex tells', async () => {
    await turn(
      'run a tool',
      { steps: [call('echo hello', 'call_1')] },
      { steps: [call('echo again', 'call_2')] },
      answer('Done.'),
    );
    assert.deepEqual(order(), recordedOrder(/^tool turn: /));
    assertTold('SessionStart', ({ source }) => source === 'startup');
    assertTold('UserPromptSubmit');
    assertTold('PreModelRequest');
    assertTold('PostModelRequest', ({ status }) => status === 'completed');
    assert.deepEqual([...new Set(repository.told().map(({ model }) => model))], ['gpt-5.5']);
    assertTold('PreToolUse', ({ tool_input }) => commandOf(tool_input) === 'echo hello');
    assertTold('PostToolUse', ({ tool_response }) => tool_response === 'hello\n');
    assertTold('Stop');
  });

  it('tells the model of a refused call in the words of Codex', async () => {
    await turn('run a blocked tool', { steps: [call('echo BLOCKME', 'call_1')] }, answer('Blocked, fine.'));
    assert.deepEqual(order().slice(1), recordedOrder(/^blocked tool: /));
    const [{ output }] = recorded<[{ output: string }]>('blocked-as-seen-by-model');
    const results = repository.session.rows().filter((row) => row.kind === 'tool_result');
    assert.deepEqual(
      results.map(({ displayText, status }) => [displayText, status]),
      [[output, 'blocked']],
    );
    assert.ok(sent(-1).includes(JSON.stringify(output)));
  });

  it('gives the notes of SessionStart to the model', async () => {
    await turn('hi', answer('Hello.'));
    assert.match(sent(0), /The build is run with make\./);
  });

  it('shows an edit as a patch, to hooks for Write and Edit as well, before and after', async () => {
    const write = { call: { name: 'write_file', input: { path: 'new.txt', content: 'hello\n' }, id: 'call_1' } };
    await turn('patch it', { steps: [write] }, answer('Done.'));
    assert.deepEqual(order().slice(1), recordedOrder(/^patch: /));
    assertTold('PreToolUse', ({ tool_name }) => tool_name === 'apply_patch');
    const [{ tool_response }] = firedAs('PostToolUse') as [Fields];
    const untimed = (text: unknown) => String(text).replace(/Wall time: [\d.]+/, 'Wall time: 0');
    const [like] = recorded<Fields[]>('PostToolUse').filter(({ tool_name }) => tool_name === 'apply_patch');
    assert.equal(untimed(tool_response), untimed(like?.tool_response));
  });

  it('F18. a patch is refused by a hook for Write|Edit, whose script reads apply_patch, and nothing is written', async () => {
    const write = { call: { name: 'write_file', input: { path: 'generated/a.txt', content: 'x\n' }, id: 'call_1' } };
    const edit = {
      call: { name: 'patch', input: { path: 'generated/b.txt', old_string: 'a', new_string: 'b' }, id: 'call_2' },
    };
    await turn('patch it', { steps: [write, edit] }, answer('Fine.'));
    const results = repository.session.rows().filter((row) => row.kind === 'tool_result');
    assert.deepEqual(
      results.map(({ displayText, status }) => [displayText, status]),
      Array.from({ length: 2 }, () => [
        'Tool call blocked by PreToolUse hook: generated files are written by the build. Tool: apply_patch',
        'blocked',
      ]),
    );
    assert.equal(existsSync(join(repository.rig.folder, 'generated')), false);
  });

  it('F19. updatedInput counts without permissionDecision allow, with a warning', async () => {
    repository.allow('echo rewritten');
    await turn('rewrite', { steps: [call('echo REWRITE', 'call_1')] }, answer('Done.'));
    const [result] = repository.session.rows().filter((row) => row.kind === 'tool_result');
    assert.match(result?.displayText ?? '', /^rewritten/);
    const { manager } = repository.rig.hooks;
    const runs = manager.list().flatMap(({ id }) => manager.runs(id));
    assert.match(runs.flatMap(({ warnings = [] }) => warnings).join(), /updatedInput counts here/);
  });

  it('tells of an interrupt once, with exactly seven fields, and never of a stop in the same turn', async () => {
    const { session, rig } = repository;
    rig.server.script({ steps: [asking('echo started; tail -f /dev/null', 'call_1')] });
    repository.answerCards('once');
    const { turnId } = session.send('long tool');
    await event(session, 'tool', ({ output }) => output?.includes('started') === true);
    session.stop();
    await session.settled(turnId);
    await repository.through();
    const asked = 'PermissionRequest(Bash)';
    assert.deepEqual(
      order().filter((name) => name !== asked),
      ['SessionStart', ...recordedOrder(/^stop in tool: /), 'Interrupt'],
    );
    assertTold('Interrupt');
    assert.equal(Object.keys(firedAs('Interrupt')[0] ?? {}).length, 7);
  });

  it('fires for each of several calls, and as often as Codex', async () => {
    await turn('two tools', { steps: [call('echo one', 'call_1'), call('echo two', 'call_2')] }, answer('Done.'));
    assert.deepEqual(order().slice(1).toSorted(), recordedOrder(/^parallel: /).toSorted());
    const ids = firedAs('PreToolUse').map(({ tool_use_id }) => tool_use_id);
    assert.equal(new Set(ids).size, 2);
  });

  it('tells of a request that was cut by a stop as cancelled, and then of the interrupt', async () => {
    const { session, rig } = repository;
    rig.server.script({ steps: [{ text: 'Once upon' }, { pause: 'p' }, { text: ' a time.' }] });
    const { turnId } = session.send('long text');
    const request = await rig.server.nextRequest();
    await request.paused('p');
    session.stop();
    await session.settled(turnId);
    await repository.through();
    const [, ...fired] = order();
    assert.deepEqual(
      fired.toSorted(),
      [...recordedOrder(/^stop in text: /), 'Interrupt', 'PostModelRequest'].toSorted(),
    );
    assertTold('PostModelRequest', ({ status }) => status === 'cancelled');
    assert.equal(firedAs('PostModelRequest')[0]?.status, 'cancelled');
  });

  it('tells of a request that was refused, and of no stop', async () => {
    const body = { error: { message: 'scripted refusal', type: 'invalid_request_error' } };
    await turn('fail please', { status: 401, body: JSON.stringify(body) });
    assert.deepEqual(order().slice(1), recordedOrder(/^api error: /));
    const [told] = firedAs('PostModelRequest');
    assert.equal(told?.status, 'failed');
    assert.equal(typeof told?.error, 'string');
    assert.deepEqual([told?.token_usage, told?.response_id], [null, null]);
  });

  it('tells of the end of a session with other as its reason', async () => {
    await turn('hi', answer('Hello.'));
    await repository.rig.agent.close();
    await repository.through();
    assert.equal(order().at(-1), 'SessionEnd');
    assertTold('SessionEnd');
    assert.equal(firedAs('SessionEnd')[0]?.reason, 'other');
  });

  it('asks for a permission with the call and without its id, before the card', async () => {
    repository.answerCards('once');
    await turn('permission', { steps: [asking('touch asked.txt', 'call_1')] }, answer('Done.'));
    const named = recordedOrder(/^permission: |^asked /);
    assert.deepEqual(order().slice(1), named);
    assertTold('PermissionRequest');
  });

  it('fires around a compaction and tells the session that goes on', async () => {
    await turn('hi', answer('Hello.'));
    const before = order().length;
    repository.rig.server.script(answer('SUMMARY'));
    repository.session.compact();
    await repository.session.settled();
    await turn('again', answer('Hello again.'));
    const fired = order().slice(before);
    assert.deepEqual([...fired].sort(), [...recordedOrder(/^compact: /), ...recordedOrder(/^after compact: /)].sort());
    assertTold('PreCompact');
    assertTold('PostCompact');
  });
});

function commandOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null ? (input as Fields).command : undefined;
}

function kindOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, kindOf(inner)]));
}
