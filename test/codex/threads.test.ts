import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { attach } from '../../src/agent/model/codex/attached-call.ts';
import { Conversation } from '../../src/agent/model/codex/conversation.ts';
import { CodexServer } from '../../src/agent/model/codex/server.ts';
import type { ModelMessage } from '../../src/agent/model/index.ts';
import { createOpenAiChatWire } from '../../src/agent/model/index.ts';
import { event } from '../unit/turn/rig.ts';
import { COMMAND, CodexRig, card, run, said } from './codex-rig.ts';

describe('the thread of a session on codex app-server', () => {
  let codex: CodexRig;

  beforeEach(async () => {
    codex = await CodexRig.start();
  });

  afterEach(() => codex.close());

  it('is resumed after a reload, and is told nothing twice', async () => {
    codex.server.script({ steps: [{ text: 'One.' }] }, { steps: [{ text: 'Two.' }] });
    const session = codex.session();
    session.send('First');
    await session.settled();
    const again = await codex.reload(session.id);
    again.send('Second');
    assert.equal((await again.settled()).finalText, 'Two.');
    assert.deepEqual(said(await codex.server.request(1)), ['user: First', 'assistant: One.', 'user: Second']);
  });

  it('is resumed after a stop and a reload, with what it had been told and the words that were cut', async () => {
    codex.server.script(
      { steps: [{ text: 'One.' }] },
      { steps: [{ text: 'Begun' }, { pause: 'there' }] },
      { steps: [{ text: 'Three.' }] },
    );
    const session = codex.session();
    session.send('First');
    await session.settled();
    session.send('Second');
    await event(session, 'delta', ({ text }) => text === 'Begun');
    session.stop();
    await event(session, 'turn.ended', ({ result }) => result.exitReason === 'interrupted_by_user');
    const again = await codex.reload(session.id);
    again.send('Third');
    assert.equal((await again.settled()).finalText, 'Three.');
    const heard = said(await codex.server.request(2));
    assert.equal(heard.filter((line) => line === 'user: Second').length, 1);
    assert.ok(heard.some((line) => line.includes('Begun')));
    assert.match(heard.at(-1) ?? '', /Third$/);
  });

  it('that is gone is followed by a new one, which is told the conversation', async () => {
    codex.server.script({ steps: [{ text: 'One.' }] }, { steps: [{ text: 'Two.' }] });
    const session = codex.session();
    session.send('First');
    await session.settled();
    await codex.wire.dispose();
    for (const folder of ['sessions', 'archived_sessions'])
      rmSync(join(codex.home, folder), { recursive: true, force: true });
    for (const file of codex.stateFiles()) rmSync(file, { force: true });
    const again = await codex.reload(session.id);
    again.send('Second');
    assert.equal((await again.settled()).finalText, 'Two.');
    const heard = said(await codex.server.request(1));
    assert.match(heard.join('\n'), /<user>\nFirst\n<\/user>[\s\S]*<assistant>\nOne\.\n<\/assistant>/);
    assert.match(heard.at(-1) ?? '', /Second$/);
  });
});

describe('a thread of codex app-server in one process', () => {
  let codex: CodexRig;

  before(async () => {
    codex = await CodexRig.start();
  });

  beforeEach(() => codex.server.reset());

  after(() => codex.close());

  it('is told what another model said in between', async () => {
    codex.server.script(
      { steps: [{ text: 'One.' }] },
      { steps: [{ text: 'Other.' }] },
      { steps: [{ text: 'Three.' }] },
    );
    const session = codex.session();
    session.send('First');
    await session.settled();
    const own = codex.rig.model;
    const wire = createOpenAiChatWire({ baseUrl: codex.server.openAiBaseUrl, apiKey: 'k' });
    codex.rig.model = { wire, model: 'other', ref: 'other/other' };
    session.send('Second');
    await session.settled();
    codex.rig.model = own;
    session.send('Third');
    assert.equal((await session.settled()).finalText, 'Three.');
    const heard = said(await codex.server.request(2));
    assert.deepEqual(heard.slice(0, 2), ['user: First', 'assistant: One.']);
    assert.match(
      heard[2] ?? '',
      /without you[\s\S]*<user>\nSecond\n<\/user>\n\n<assistant>\nOther\.\n<\/assistant>\|?(user: )?Third$/,
    );
  });

  it('gets a message that came behind the end of its turn as a new turn, once', async () => {
    codex.server.script(
      { steps: [run('echo ran')] },
      { steps: [{ text: 'First.' }] },
      { steps: [{ text: 'Second.' }] },
    );
    const tools = [{ name: 'any', description: 'Stands for all.', inputSchema: { type: 'object' } }];
    const messages: ModelMessage[] = [{ role: 'user', text: 'Run it' }];
    const server = await CodexServer.start({ command: COMMAND, env: codex.env, patience: 30_000 });
    const folder = () => codex.rig.folder;
    const conversation = new Conversation({ server: async () => server, folder, leave: 300 });
    const ask = async () => {
      let text = '';
      const request = { model: 'gpt-fake', system: 'S', messages: [...messages], tools, cacheKey: 'late' };
      for await (const part of conversation.stream(request, new AbortController().signal)) {
        if (part.type === 'text') text += part.text;
        if (part.type === 'end') return { text, ...part };
        assert.notEqual(part.type, 'error');
      }
      throw new Error('no end');
    };
    const first = await ask();
    const [call] = first.calls;
    assert.ok(call);
    const { thread } = conversation;
    const item = thread?.item(call.callId);
    assert.ok(thread && item);
    const result = await attach(item, thread, codex.context('late'));
    assert.equal(result.status, 'success');
    while (thread.turn !== undefined) await new Promise(setImmediate);
    messages.push(
      { role: 'assistant', text: '', thinking: first.thinking, calls: first.calls },
      { role: 'tool', callId: call.callId, name: call.name, text: result.text, isError: false },
      { role: 'user', text: 'And now?' },
    );
    const second = await ask();
    assert.equal(second.text, 'First.\n\nSecond.');
    assert.equal(second.finish, 'stop');
    const heard = said(await codex.server.request(2));
    assert.deepEqual(heard.slice(-2), ['assistant: First.', 'user: And now?']);
    await conversation.dispose();
    await server.dispose();
  });

  it('is compacted by Codex itself, and what is stored here stays as it is', async () => {
    codex.server.script(
      { steps: [{ text: 'One.' }] },
      { steps: [{ text: 'What was said so far.' }] },
      { steps: [{ text: 'Two.' }] },
    );
    const session = codex.session();
    session.send('First');
    await session.settled();
    session.compact();
    const { result } = await event(session, 'turn.ended', (ended) => ended.result.error !== undefined);
    assert.match(result.error?.message ?? '', /has compacted its own copy/);
    session.send('Second');
    await event(session, 'turn.ended', (ended) => ended.result.finalText === 'Two.');
    assert.match(said(await codex.server.request(2)).join('\n'), /What was said so far\./);
    assert.deepEqual(
      session.rows().flatMap(({ role, displayText }) => (role === 'notice' ? [] : [displayText])),
      ['First', 'One.', 'Second', 'Two.'],
    );
  });

  it('is asked in one that leaves no trace when no later request goes on with it', async () => {
    codex.server.script({ steps: [run('touch never')] }, { steps: [{ text: 'A title' }] });
    const request = {
      model: 'gpt-fake',
      system: 'Write a title.',
      messages: [{ role: 'user', text: 'Hi' }] as const,
      tools: [],
      cacheKey: 'title',
      once: true,
    };
    const parts: string[] = [];
    for await (const part of codex.wire.stream(request, new AbortController().signal)) {
      parts.push(part.type === 'text' ? part.text : part.type);
    }
    assert.deepEqual(parts, ['head', 'A title', 'end']);
    const body = (await codex.server.request(0)).body as { input: readonly object[] };
    assert.match(JSON.stringify(body.input), /Write a title\./);
    assert.match(JSON.stringify(said(await codex.server.request(1))), /[Rr]ejected/);
  });

  it('counts each of its requests once', async () => {
    codex.server.script(
      { steps: [{ usage: { input: 100, cacheRead: 900, output: 20, reasoning: 5 } }, run('echo ran')] },
      { steps: [{ usage: { input: 50, cacheRead: 1000, output: 10 } }, { text: 'Done.' }] },
    );
    const session = codex.session();
    session.send('Run it');
    session.answer((await card(session)).id, 'once');
    const { input, cacheRead, output, reasoning } = (await session.settled()).usage;
    assert.deepEqual(
      { input, cacheRead, output, reasoning },
      { input: 150, cacheRead: 1900, output: 30, reasoning: 5 },
    );
  });

  it('does nothing for a request without tools: what it asks for is refused', async () => {
    codex.rig.settings = { ...codex.rig.settings, toolsOff: 'The workspace is not trusted.' };
    codex.server.script({ steps: [run('touch never')] }, { steps: [{ text: 'I may not.' }] });
    const session = codex.session();
    session.send('Touch it');
    const result = await session.settled();
    codex.rig.settings = { ...codex.rig.settings, toolsOff: undefined };
    assert.equal(result.finalText, 'I may not.');
    assert.deepEqual(
      session.rows().filter(({ role }) => role === 'tool'),
      [],
    );
    assert.match(said(await codex.server.request(1)).join('\n'), /[Rr]ejected/);
  });

  it('asks the user what Codex asks, and gives it the answer', async () => {
    const questions = [
      {
        id: 'which',
        header: 'Which',
        question: 'Tabs or spaces?',
        options: [
          { label: 'Tabs', description: 't' },
          { label: 'Spaces', description: 's' },
        ],
      },
    ];
    codex.server.script(
      { steps: [{ call: { name: 'request_user_input', input: { questions } } }] },
      { steps: [{ text: 'Spaces then.' }] },
    );
    const session = codex.session();
    session.send('Indent it');
    await event(session, 'question.opened');
    const [question] = session.questions();
    assert.equal(question?.text, 'Tabs or spaces?');
    session.answerQuestion(question?.id ?? '', 'Spaces');
    assert.equal((await session.settled()).finalText, 'Spaces then.');
    assert.match(said(await codex.server.request(1)).at(-1) ?? '', /output .*Spaces/);
  });
});
