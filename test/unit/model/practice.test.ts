import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { framedSummary, summaryRequest } from '../../../src/agent/context/index.ts';
import { createPracticeWire } from '../../../src/agent/model/index.ts';
import { INTRODUCTION } from '../../../src/agent/model/practice/history.ts';
import { LONG_COMMAND } from '../../../src/agent/model/practice/tour.ts';
import type { ModelCall, ModelMessage, ModelRequest } from '../../../src/agent/model/types.ts';
import { anthropicMessages } from '../../../src/agent/model/wires/anthropic/messages.ts';
import { chatMessages } from '../../../src/agent/model/wires/chat/messages.ts';
import { validateAnthropic, validateOpenAi } from '../../model-server/index.ts';
import { collect, ended, textOf } from './wire-fixture.ts';

const TOOLS = [
  'read_file',
  'list_files',
  'search_files',
  'write_file',
  'patch',
  'terminal',
  'diagnostics',
  'ask_user',
  'todo',
];
const wire = createPracticeWire({ pace: async () => {} });

function requestOf(messages: readonly ModelMessage[], tools: readonly string[] = TOOLS): ModelRequest {
  const specs = tools.map((name) => ({ name, description: name, inputSchema: { type: 'object' } }));
  return { model: 'rehearsal', system: '', messages, tools: specs, cacheKey: 's' };
}

type Answers = (call: ModelCall) => string | { text: string; isError: true };

/** A conversation with the practice model in which a script answers the tools. */
class Conversation {
  readonly messages: ModelMessage[] = [];
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** One request: appends the answer and the results of its calls. */
  async step(): Promise<{ text: string; calls: readonly ModelCall[] }> {
    const parts = await collect(wire.stream(requestOf(this.messages), new AbortController().signal));
    const { calls } = ended(parts);
    const text = textOf(parts);
    this.messages.push({ role: 'assistant', text, calls });
    for (const call of calls) {
      const answer = this.#answers(call);
      const result = typeof answer === 'string' ? { text: answer, isError: false } : answer;
      this.messages.push({ role: 'tool', callId: call.callId, name: call.name, ...result });
    }
    return { text, calls };
  }

  say(text: string): void {
    this.messages.push({ role: 'user', text });
  }

  /** Until an answer without calls; the calls by name and the last text. */
  async finish(): Promise<{ text: string; calls: readonly ModelCall[] }> {
    const calls: ModelCall[] = [];
    for (let request = 0; request < 20; request++) {
      const step = await this.step();
      if (step.calls.length === 0) return { text: step.text, calls };
      calls.push(...step.calls);
    }
    throw new Error('The practice model does not come to an end.');
  }

  /** What both APIs say about this history as it would be sent. */
  get complaint(): string | undefined {
    const messages = [...this.messages, { role: 'user' as const, text: 'next' }];
    return (
      validateOpenAi({ model: 'm', messages: chatMessages('', messages) }) ??
      validateAnthropic({ model: 'm', max_tokens: 1, messages: anthropicMessages(messages, 'h') })
    );
  }
}

const sample = (path: string) => readFileSync(new URL(`../../../samples/ts-starter/${path}`, import.meta.url), 'utf8');
const numbered = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line, index) => `${index + 1}|${line}`)
    .join('\n');

const inSample: Answers = ({ name, input }) => {
  const { path, command } = input as { path?: string; command?: string };
  if (name === 'list_files') return 'README.md\npackage.json\nsrc/cart.js\nsrc/format.ts\ntest/cart.test.js';
  if (name === 'read_file') return numbered(sample(path ?? ''));
  if (name === 'terminal') return command === 'node --test' ? 'pass 3\nfail 0' : 'step 1 of 20';
  return 'Done.';
};

function inputOf(call: ModelCall | undefined): Readonly<Record<string, string>> {
  return (call?.input ?? {}) as Readonly<Record<string, string>>;
}

describe('the practice model', function () {
  this.timeout(20_000);
  it('says once in a conversation that a script answers', async () => {
    const talk = new Conversation(inSample);
    talk.say('Fix the failing test');
    await talk.finish();
    talk.say('Explain this project');
    await talk.finish();
    const said = talk.messages.filter((message) => message.role === 'assistant' && message.text.includes(INTRODUCTION));
    assert.equal(said.length, 1);
    assert.equal(said[0], talk.messages[1]);
  });

  it('mends the sample with an edit that fits its file, and checks it', async () => {
    const talk = new Conversation(inSample);
    talk.say('Fix the failing test');
    const { text, calls } = await talk.finish();
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['list_files', 'read_file', 'read_file', 'terminal', 'patch', 'terminal', 'diagnostics'],
    );
    const { path, old_string, new_string } = inputOf(calls[4]);
    const file = sample(path ?? '');
    assert.equal(file.split(old_string ?? '').length, 2, 'old_string occurs once');
    assert.match(file.replace(old_string ?? '', new_string ?? ''), /sum \+= line\.price \* line\.quantity;/);
    assert.match(text, /All tests pass/);
    assert.equal(talk.complaint, undefined);
  });

  it('takes a request for a summary, or for a look back at a turn, for no exercise', async () => {
    const { signal } = new AbortController();
    const summary = summaryRequest([{ role: 'user', text: 'Fix the failing test' }], 10_000);
    const summarised = await collect(wire.stream(requestOf(summary, []), signal));
    assert.match(textOf(summarised), /^A rehearsal with the practice model/);
    assert.deepEqual(ended(summarised).calls, []);
    const review: ModelMessage = { role: 'user', text: '<notes>\n\n</notes>\n\n<turn>\nFix the test\n</turn>' };
    const reviewed = await collect(wire.stream(requestOf([review], ['read_file', 'list_files', 'note']), signal));
    assert.equal(textOf(reviewed), 'Nothing.');
  });

  it('begins a task anew behind a summary', async () => {
    const talk = new Conversation(inSample);
    talk.say(framedSummary('A rehearsal.', '', 100));
    talk.say('Fix the failing test');
    const { text } = await talk.step();
    assert.doesNotMatch(text, /You (redirected|steered) me/);
    assert.ok((await talk.finish()).calls.some(({ name }) => name === 'patch'));
  });

  it('takes a steer in: it quotes it and edits as it says', async () => {
    const talk = new Conversation(inSample);
    talk.say('Fix the failing test');
    await talk.step();
    await talk.step();
    talk.say('use reduce please');
    const { text } = await talk.step();
    assert.match(text, /You steered me: “use reduce please”/);
    const { calls } = await talk.finish();
    const patch = inputOf(calls.find(({ name }) => name === 'patch'));
    assert.ok(sample('src/cart.js').includes(patch.old_string ?? '?'));
    assert.match(patch.new_string ?? '', /lines\.reduce/);
  });

  it('edits again when the steer comes after the first edit', async () => {
    const talk = new Conversation(inSample);
    talk.say('Fix the failing test');
    while (!(await talk.step()).calls.some(({ name }) => name === 'patch'));
    talk.say('use reduce');
    const { calls } = await talk.finish();
    const [first, second] = talk.messages
      .flatMap((message) => (message.role === 'assistant' ? message.calls : []))
      .filter(({ name }) => name === 'patch')
      .map(({ input }) => input as Record<string, string>);
    const once = sample('src/cart.js').replace(first?.old_string ?? '?', first?.new_string ?? '');
    assert.ok(once.includes(second?.old_string ?? '?'), 'the second edit fits the file that the first one left');
    assert.equal(calls.at(-2)?.name, 'terminal');
  });

  it('says that a steer is read only once', async () => {
    const talk = new Conversation(inSample);
    talk.say('Fix the failing test');
    await talk.step();
    talk.say('use reduce');
    await talk.step();
    assert.doesNotMatch((await talk.step()).text, /You steered me/);
  });

  it('leaves the tests alone when it is told to', async () => {
    const talk = new Conversation(inSample);
    talk.say("Fix the failing test, but don't run anything");
    const { calls } = await talk.finish();
    assert.ok(!calls.some(({ name }) => name === 'terminal'));
  });

  it('ends without a second try when its edit is denied', async () => {
    const talk = new Conversation((call) =>
      call.name === 'patch' ? { text: 'The user denied this call: not now', isError: true } : inSample(call),
    );
    talk.say('Fix the failing test');
    const { text, calls } = await talk.finish();
    assert.equal(calls.filter(({ name }) => name === 'patch').length, 1);
    assert.match(text, /not now/);
  });

  it('quotes a redirect that cut its answer and goes on with what it asks for', async () => {
    const talk = new Conversation(inSample);
    talk.say('Fix the failing test');
    talk.messages.push({ role: 'assistant', text: 'First I look', calls: [] });
    talk.say(
      '[Your answer above was cut off by the following correction from the user. Continue from it.]\n\nExplain this project instead',
    );
    const first = await talk.step();
    assert.match(first.text, /You redirected me: “Explain this project instead”/);
    const { text, calls } = await talk.finish();
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['read_file', 'read_file'],
    );
    assert.match(text, /This is what I found/);
  });

  it('takes a message as a redirect when its answer was cut before the first word', async () => {
    const talk = new Conversation(inSample);
    talk.say('Fix the failing test');
    talk.say('use reduce');
    assert.match((await talk.step()).text, /You redirected me: “use reduce”/);
  });

  it('gives the tour a question, a long command to stop and a long answer to redirect', async () => {
    const talk = new Conversation((call) => (call.name === 'ask_user' ? 'Stop a running command' : inSample(call)));
    talk.say('Try stop, steer and redirect');
    const { text, calls } = await talk.finish();
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['ask_user', 'terminal'],
    );
    assert.equal(inputOf(calls[1]).command, LONG_COMMAND);
    assert.ok(text.length > 800);
    assert.equal(talk.complaint, undefined);
  });

  it('tells what a stop did, in the next turn', async () => {
    const talk = new Conversation(inSample);
    talk.say('Try stop, steer and redirect');
    await talk.step();
    talk.messages.push({ role: 'assistant', text: 'Stopped.', calls: [] });
    talk.say(
      '[The user stopped your previous turn while tools were running. Do not resume that work unless the user asks for it.]\n\nExplain this project',
    );
    const { text, calls } = await talk.step();
    assert.match(text, /You stopped me before/);
    assert.equal(calls[0]?.name, 'list_files');
  });

  it('goes on with the stopped task when it is told to continue', async () => {
    const talk = new Conversation(inSample);
    talk.say('Explain this project');
    talk.messages.push({ role: 'assistant', text: 'Stopped.', calls: [] });
    talk.say('Please continue');
    assert.equal((await talk.step()).calls[0]?.name, 'list_files');
  });

  it('changes nothing in a folder that it has no script for', async () => {
    const talk = new Conversation(({ name }) => (name === 'list_files' ? 'main.py\nREADME.md' : 'ok'));
    talk.say('Fix the failing test');
    const { text, calls } = await talk.finish();
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['list_files'],
    );
    assert.match(text, /change nothing here/);
  });

  it('mends the type error of the sample when asked for the problems', async () => {
    const talk = new Conversation(inSample);
    talk.say('Read the problems that the editor shows, explain them and mend the ones that are mistakes.');
    const { calls } = await talk.finish();
    const patch = inputOf(calls.find(({ name }) => name === 'patch'));
    assert.equal(sample(patch.path ?? '').split(patch.old_string ?? '').length, 2);
  });

  it('answers any other text with what it can rehearse and how to get a real model', async () => {
    const talk = new Conversation(inSample);
    talk.say('Write me a poem');
    const { text } = await talk.step();
    assert.match(text, /I am a script/);
    assert.match(text, /Select Model/);
  });

  it('says so when there are no tools', async () => {
    const messages: ModelMessage[] = [{ role: 'user', text: 'Fix the failing test' }];
    const parts = await collect(wire.stream(requestOf(messages, []), new AbortController().signal));
    assert.deepEqual(ended(parts).calls, []);
    assert.match(textOf(parts), /tools are off/);
  });

  it('streams word by word at its pace and stops at once when it is aborted', async () => {
    const stop = new AbortController();
    let pauses = 0;
    const paced = createPracticeWire({
      pace: async () => {
        if (++pauses === 4) stop.abort();
      },
    });
    const parts = await collect(paced.stream(requestOf([{ role: 'user', text: 'hello' }]), stop.signal));
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['head', 'text', 'text', 'aborted'],
    );
  });

  it('waits with real time when no pace is given, and an abort ends the wait', async () => {
    const stop = new AbortController();
    const parts = collect(createPracticeWire().stream(requestOf([{ role: 'user', text: 'hello' }]), stop.signal));
    stop.abort();
    assert.deepEqual(await parts, [{ type: 'aborted' }]);
  });
});
