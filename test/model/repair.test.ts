/** Arguments that are written wrong, and reasoning that stands in the text (facts 8B), over the real chat wire. */

import assert from 'node:assert/strict';
import { createOpenAiChatWire } from '../../src/agent/model/index.ts';
import { ModelServer } from '../model-server/index.ts';
import { ended, requestOf, run, textOf } from '../unit/model/wire-fixture.ts';
import { ask, bodyOf, call, eof, finish, rst, says, stream, text } from './chat-fixture.ts';
import { FailureRig } from './failure-rig.ts';

describe('what is wrong in a chat stream', () => {
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const inputOf = async (args: string) => {
    const { parts } = await ask(server, [stream(call(0, 'a', 'read_file', args), finish('tool_calls'))]);
    const [written] = ended(parts).calls;
    assert.equal(written?.invalidInput, undefined);
    return written?.input;
  };

  it('31. puts a closer that was forgotten in front of the outer one', async () => {
    assert.deepEqual(await inputOf('{"a":[1,2}'), { a: [1, 2] });
  });

  it('32. reads a raw line break in a string, and sends valid JSON back', async () => {
    const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl });
    server.script(stream(call(0, 'a', 'read_file', '{"path":"one\ntwo"}'), finish('tool_calls')));
    const { calls } = ended(await run(wire));
    assert.deepEqual(calls[0]?.input, { path: 'one\ntwo' });
    await run(
      wire,
      requestOf([
        { role: 'user', text: 'Go' },
        { role: 'assistant', text: '', calls },
        { role: 'tool', callId: 'a', name: 'read_file', text: 'ok', isError: false },
      ]),
    );
    assert.equal(server.requests[1]?.invalid, undefined);
    const [sent] = bodyOf(server.requests[1]).messages.at(-2)?.tool_calls ?? [];
    assert.equal(sent?.function.arguments, '{"path":"one\\ntwo"}');
  });

  it('33. takes arguments that end inside a string as cut, though the answer says that it is whole', async () => {
    const cut = '{"path":"/x","content":"abc';
    const { parts } = await ask(server, [stream(call(0, 'a', 'write_file', cut), finish('tool_calls'))]);
    const end = ended(parts);
    assert.deepEqual([end.finish, end.calls, end.droppedCalls], ['length', [], ['write_file']]);
  });

  for (const [what, args] of [
    ['None', 'None'],
    ['blanks', ' \n '],
  ] as const) {
    it(`34. takes ${what} for arguments as none`, async () => {
      assert.deepEqual(await inputOf(args), {});
    });
  }

  const answered = async (...deltas: string[]) =>
    (await ask(server, [stream(...deltas.map(text), finish('stop'))])).parts;

  it('36. keeps prose that speaks of a tag inside a line', async () => {
    const parts = await answered('Models write <thi', 'nk> before they', ' answer.');
    assert.deepEqual([textOf(parts), textOf(parts, 'reasoning')], ['Models write <think> before they answer.', '']);
  });

  it('37. shows nothing as the answer of a block that begins a line and never ends', async () => {
    const parts = await answered('Yes.\n<th', 'ink>but then', ' again');
    assert.equal(textOf(parts), 'Yes.\n');
    assert.equal(ended(parts).finish, 'stop');
  });

  it('38. shows the plain text of a second attempt when the first one died inside a block', async () => {
    const { parts, requests } = await ask(server, [
      { steps: [text('<thi'), eof] },
      stream(text('Hello.'), finish('stop')),
    ]);
    assert.equal(textOf(parts), 'Hello.');
    assert.equal(requests.length, 2);
  });

  it('39. takes a lone closing tag away with the blank space behind it, and keeps what stands before', async () => {
    const parts = await answered('So it is.</think>', '\n\n Yes.');
    assert.equal(textOf(parts), 'So it is.Yes.');
  });
});

describe('what is wrong in a chat stream of a turn', () => {
  let failures: FailureRig;
  beforeEach(async () => {
    failures = await FailureRig.start();
    failures.rig.write('notes.txt', 'hello');
  });
  afterEach(() => failures.rig.close());
  const limits = () => failures.rig.server.requests.map((request) => bodyOf(request).max_tokens);
  const results = () => failures.session.rows().filter(({ kind }) => kind === 'tool_result');

  it('33. asks for the work in parts, and runs the call once it is whole', async () => {
    const result = await failures.turn(
      'Go',
      stream(call(0, 'a', 'read_file', '{"path":"no'), finish('tool_calls')),
      stream(call(0, 'b', 'read_file', '{"path":"notes.txt"}'), finish('tool_calls')),
      says('hello'),
    );
    assert.equal(result.exitReason, 'answered');
    assert.deepEqual(limits(), [4096, 4096, 4096]);
    assert.equal(results().length, 1);
    assert.match(JSON.stringify(results()[0]?.parts), /hello/);
  });

  it('38. shows the plain text of the next attempt of a turn whose first one died inside a block', async () => {
    const result = await failures.turn('Go', { steps: [text('<think>\nHm'), rst] }, says('Hello.'));
    assert.equal(result.finalText, 'Hello.');
  });
});
