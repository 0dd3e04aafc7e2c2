import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ModelPart, ModelRequest } from '../../src/agent/model/types.ts';
import { LanguageModelWire } from '../../src/editor/language-models.ts';
import { configure, midcourse } from './support.ts';

const request: ModelRequest = {
  model: 'midcourse-test/echo',
  system: 'You are a test.',
  messages: [{ role: 'user', text: 'one two three' }],
  tools: [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } }],
  cacheKey: 'test',
};

describe('language models of VS Code', () => {
  let seen: readonly {
    readonly roles: readonly number[];
    readonly tools: readonly string[];
    readonly messages: readonly vscode.LanguageModelChatRequestMessage[];
  }[];

  before(async () => {
    const provider = vscode.extensions.getExtension<{ seen: typeof seen }>('midcourse-test.model-provider');
    assert.ok(provider, 'the extension that gives the models is not installed');
    seen = (await provider.activate()).seen;
  });

  it('streams text, and takes usage from its own part while other data parts are shown to nobody', async () => {
    const parts = await collect(wireOf('echo'));
    assert.equal(textOf(parts), 'one two three ');
    const end = parts.at(-1);
    assert.ok(end?.type === 'end');
    assert.equal(end.finish, 'stop');
    assert.deepEqual(end.usage, { input: 60, output: 7, cacheRead: 40, cacheWrite: 0, reasoning: 0 });
    assert.deepEqual(parts[0], { type: 'head' });
  });

  it('sends the system prompt as the first user message', async () => {
    await collect(wireOf('echo'));
    assert.deepEqual(seen.at(-1)?.roles, [1, 1]);
    assert.deepEqual(seen.at(-1)?.tools, ['read_file']);
  });

  it('gives whole tool calls at the end', async () => {
    const end = (await collect(wireOf('calls'))).at(-1);
    assert.ok(end?.type === 'end');
    assert.equal(end.finish, 'tool_calls');
    assert.deepEqual(end.calls, [{ callId: 'call-1', name: 'read_file', input: { path: 'package.json' } }]);
  });

  it('stops reading at once on an abort, although the provider goes on and ends as if complete', async () => {
    const controller = new AbortController();
    const parts: ModelPart[] = [];
    for await (const part of wireOf('deaf').stream(request, controller.signal)) {
      parts.push(part);
      if (part.type === 'text') controller.abort();
    }
    assert.equal(parts.at(-1)?.type, 'aborted');
    assert.equal(parts.filter((part) => part.type === 'text').length, 1);
  });

  it('turns a failure into a part with words and a kind', async () => {
    const end = (await collect(wireOf('broken'))).at(-1);
    assert.ok(end?.type === 'error');
    assert.equal(end.error.kind, 'context_overflow');
  });

  const TOO_LONG = [
    'prompt token count of 132567 exceeds the limit of 128000',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Request Failed: 400 {"error":{"message":"prompt token count of 132567 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}',
    "This model's maximum context length is 128000 tokens.",
  ];
  for (const words of TOO_LONG) {
    it(`H2. takes “${words.slice(0, 60)}” for too long, with the window that it names`, async () => {
      const end = (await collect(wireOf('refusing'), [{ role: 'user', text: `refuse: ${words}` }])).at(-1);
      assert.ok(end?.type === 'error');
      assert.equal(end.error.kind, 'context_overflow');
      assert.equal(end.error.retryable, false);
      assert.ok([128_000, 200_000].includes(end.error.contextWindow ?? 0), String(end.error.contextWindow));
    });
  }

  it('H2a. does not ask again for what is refused for what it says', async () => {
    const words = 'refuse: Request Failed: 400 {"error":{"message":"Invalid schema for function \'f\'"}}';
    const end = (await collect(wireOf('refusing'), [{ role: 'user', text: words }])).at(-1);
    assert.ok(end?.type === 'error');
    assert.equal(end.error.kind, 'bad_request');
    assert.equal(end.error.retryable, false);
  });

  it('H2b. sends no half of a pair, no blank text, no call without a result and no bare schema', async () => {
    const half = String.fromCharCode(0xd83d);
    await collect(wireOf('refusing'), [
      { role: 'user', text: `a ${half}` },
      {
        role: 'assistant',
        text: ' ',
        calls: [
          { callId: 'fc|1', name: 'x y', input: { a: half } },
          { callId: '2', name: 'f', input: {} },
        ],
      },
      { role: 'tool', callId: 'fc|1', name: 'x y', text: ' ', isError: false },
      { role: 'user', text: '  ' },
      { role: 'user', text: 'Next' },
    ]);
    const messages = seen.at(-1)?.messages ?? [];
    const json = JSON.stringify(messages);
    assert.ok(!/\\ud83d/i.test(json), json);
    assert.deepEqual(
      messages.map(({ role }) => role),
      [1, 1, 2, 1, 2, 1],
    );
    const texts = messages
      .flatMap(({ content }) => content)
      .flatMap((part) => (part instanceof vscode.LanguageModelTextPart ? [part.value] : []));
    assert.ok(
      texts.every((text) => text.trim() !== ''),
      JSON.stringify(texts),
    );
    const calls = messages
      .flatMap(({ content }) => content)
      .filter((part) => part instanceof vscode.LanguageModelToolCallPart);
    assert.equal(calls.length, 1);
    assert.match(calls[0]?.callId ?? '', /^[\w-]+$/);
    assert.equal(calls[0]?.name, 'x_y');
  });

  it('says that a model is gone', async () => {
    const wire = new LanguageModelWire(async () => undefined);
    const [end] = await collect(wire);
    assert.ok(end?.type === 'error');
    assert.equal(end.error.kind, 'model_not_found');
  });

  it('serves a whole turn as vscode/vendor/id', async () => {
    const api = await midcourse();
    await configure('model', 'vscode/midcourse-test/echo');
    try {
      const session = await api.sessions.create();
      session.send('repeat this');
      const result = await session.settled();
      assert.equal(result.exitReason, 'answered', result.error?.message);
      assert.match(result.finalText, /repeat this/);
      assert.equal(result.usage.cacheRead, 40);
    } finally {
      await configure('model', undefined);
    }
  });
});

function wireOf(id: string): LanguageModelWire {
  return new LanguageModelWire(async () => (await vscode.lm.selectChatModels({ vendor: 'midcourse-test', id }))[0]);
}

async function collect(wire: LanguageModelWire, messages = request.messages): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of wire.stream({ ...request, messages }, new AbortController().signal)) parts.push(part);
  return parts;
}

function textOf(parts: readonly ModelPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
