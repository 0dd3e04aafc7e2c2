import assert from 'node:assert/strict';
import { codexEnvironment } from '../../../src/agent/model/codex/environment.ts';
import { JsonRpc } from '../../../src/agent/model/codex/json-rpc.ts';
import { answers, parseNotification, parseServerRequest } from '../../../src/agent/model/codex/protocol.ts';
import { scriptOf } from '../../../src/agent/model/codex/shell-command.ts';
import { clientId, common, sealThread, storedThread, untold } from '../../../src/agent/model/codex/transcript.ts';
import type { ModelMessage } from '../../../src/agent/model/index.ts';

const user = (text: string): ModelMessage => ({ role: 'user', text });
const own = (text: string, thread = 't1', calls: readonly string[] = []): ModelMessage => ({
  role: 'assistant',
  text,
  thinking: [sealThread('', thread)],
  calls: calls.map((callId) => ({ callId, name: 'codex_command', input: {} })),
});
const result = (callId: string, text: string): ModelMessage => ({
  role: 'tool',
  callId,
  name: 'codex_command',
  text,
  isError: true,
});
const texts = (messages: readonly ModelMessage[], seen: number, refused: readonly string[] = []) =>
  untold(messages, seen, 't1', new Set(refused)).map((input) => (input.type === 'text' ? input.text : input.url));

describe('the command that Codex shows', () => {
  for (const [shown, script] of [
    ["/bin/bash -lc 'npm test'", 'npm test'],
    ["/bin/zsh -lc 'echo '\\''a b'\\'''", "echo 'a b'"],
    ['bash -c "echo \\"$HOME\\""', 'echo "$HOME"'],
    ['/bin/bash -lc ls', 'ls'],
    ["powershell.exe -Command 'Get-Date'", 'Get-Date'],
    ['git status', 'git status'],
    ["./bash -lc 'ls'", "./bash -lc 'ls'"],
    ["/home/me/bin/bash -lc 'ls'", "/home/me/bin/bash -lc 'ls'"],
    ["/bin/bash -lc 'not closed", "/bin/bash -lc 'not closed"],
    ["/bin/bash -lc 'a' b", "/bin/bash -lc 'a' b"],
  ] as const) {
    it(`is known as ${script}`, () => assert.equal(scriptOf(shown), script));
  }
});

describe('what a thread of Codex is told', () => {
  it('is what the user said since, in their words', () => {
    const messages = [user('One'), own('1', 't1', ['c1']), result('c1', 'ran'), user('Two')];
    assert.deepEqual(texts(messages, 1), ['Two']);
    assert.deepEqual(texts(messages, 4), []);
  });

  it('is also why a call was refused', () => {
    const messages = [user('One'), own('', 't1', ['c1']), result('c1', 'The user denied this call: no')];
    assert.deepEqual(texts(messages, 1, ['c1']), [
      '[About codex_command, which was refused: The user denied this call: no]',
    ]);
  });

  it('is what was said without it, as one text, and then what the user says', () => {
    const messages = [
      user('One'),
      own('1'),
      user('Two'),
      own('2', 'another thread'),
      { role: 'assistant', text: 'cut off', calls: [] } as const,
      user('Three'),
    ];
    const [carried = '', ...rest] = texts(messages, 2);
    assert.match(carried, /<user>\nTwo\n<\/user>\n\n<assistant>\n2\n<\/assistant>\n\n<assistant>\ncut off/);
    assert.deepEqual(rest, ['Three']);
  });

  it('holds images, and no half characters', () => {
    const messages: ModelMessage[] = [
      { role: 'user', text: 'a\ud800', images: [{ mime: 'image/png', base64: 'AA==' }] },
    ];
    assert.deepEqual(texts(messages, 0), ['a\ufffd', 'data:image/png;base64,AA==']);
  });

  it('is found by what both histories begin with', () => {
    const messages = [user('One'), own('1'), user('Two')];
    assert.equal(common(messages, [...messages, user('Three')]), 3);
    assert.equal(common(messages, [user('One'), own('other'), user('Two')]), 1);
    assert.equal(common([...messages, user('nudge')], [...messages, own('2')]), 3);
  });
});

describe('a stored conversation', () => {
  it('names the thread of its newest whole answer', () => {
    assert.deepEqual(storedThread([user('One'), own('1', 'old'), user('Two'), own('2', 'new'), user('Three')]), {
      threadId: 'new',
      seen: 4,
    });
    assert.equal(storedThread([user('One'), { role: 'assistant', text: '1', calls: [] }]), undefined);
  });

  it('gives equal words at another place another id', () => {
    const messages = [user('Yes'), own('1'), user('Yes')];
    assert.notEqual(clientId(messages, 0), clientId(messages, 2));
  });
});

describe('the protocol of Codex', () => {
  const rpc = (lines: string[] = []) => {
    const notified: string[] = [];
    const silent: string[] = [];
    const peer = new JsonRpc(
      {
        write: (line) => lines.push(line),
        onNotification: (method) => notified.push(method),
        onRequest: () => undefined,
        onSilence: (method) => silent.push(method),
      },
      10_000,
    );
    return { peer, notified, silent };
  };

  it('skips events that it does not know, and known ones in another form', () => {
    assert.equal(parseNotification('thread/dreamt', { threadId: 't1' }), undefined);
    assert.equal(parseNotification('toString', {}), undefined);
    assert.equal(parseNotification('item/agentMessage/delta', { threadId: 't1', delta: 7 }), undefined);
    assert.equal(parseServerRequest('item/tool/call', {}), undefined);
    const item = { type: 'hologram', id: 'i1' };
    assert.equal(parseNotification('item/started', { threadId: 't1', turnId: 'u1', item }), undefined);
  });

  it('lives through lines that are no messages', async () => {
    const { peer, notified } = rpc();
    const answer = peer.call('turn/start', {}, answers.turn);
    for (const line of ['', 'not json', '[]', '7', 'null', '{"id":99,"result":{}}', '{"method":"a"}'])
      peer.receive(line);
    peer.receive('{"id":1,"result":{"turn":{"id":"u1"}}}');
    assert.deepEqual(await answer, { turn: { id: 'u1' } });
    assert.deepEqual(notified, ['a']);
    peer.close(new Error('over'));
  });

  it('refuses an answer in another form, and tells what the other side refused', async () => {
    const { peer } = rpc();
    const odd = peer.call('turn/start', {}, answers.turn);
    peer.receive('{"id":1,"result":{"turn":"u1"}}');
    await assert.rejects(odd, /unknown form/);
    const refused = peer.call('turn/steer', {}, answers.anything);
    peer.receive('{"id":2,"error":{"code":-32600,"message":"no active turn to steer"}}');
    await assert.rejects(refused, /turn\/steer: no active turn to steer/);
    peer.close(new Error('over'));
  });

  it('tells everybody who waits that it is over, also those who come later', async () => {
    const { peer } = rpc();
    const waiting = peer.call('turn/start', {}, answers.turn);
    peer.close(new Error('gone'));
    await assert.rejects(waiting, /gone/);
    await assert.rejects(peer.call('turn/start', {}, answers.turn), /gone/);
  });
});

describe('the environment of Codex', () => {
  it('has its own variables, and neither keys of others nor what names a call of a Codex around it', () => {
    const env = codexEnvironment({
      PATH: '/bin',
      CODEX_HOME: '/home/codex',
      OPENAI_API_KEY: 'sk-1',
      ANTHROPIC_API_KEY: 'sk-2',
      CODEX_TOOL_CALL_ID: 'call_1',
      CODEX_THREAD_ID: 't',
      ELECTRON_RUN_AS_NODE: '1',
    });
    assert.deepEqual(
      Object.keys(env).filter((name) => !/PAGER|TERM/.test(name)),
      ['PATH', 'CODEX_HOME', 'OPENAI_API_KEY'],
    );
  });
});
