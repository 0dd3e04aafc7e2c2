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
  let seen: readonly { readonly roles: readonly number[]; readonly tools: readonly string[] }[];

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
    assert.deepEqual(seen.at(-1), { roles: [1, 1], tools: ['read_file'] });
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

async function collect(wire: LanguageModelWire): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of wire.stream(request, new AbortController().signal)) parts.push(part);
  return parts;
}

function textOf(parts: readonly ModelPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
