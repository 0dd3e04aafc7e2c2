/** What the newest models and relays want: thinking that is bound, pings without a name, limits and prices. */

import assert from 'node:assert/strict';
import { knownModel, priceOf } from '../../src/agent/model/catalogue/index.ts';
import { classify, createAnthropicWire, createOpenAiChatWire, FRESH, recover } from '../../src/agent/model/index.ts';
import type { Effort } from '../../src/agent/model/types.ts';
import { ModelServer, type Step } from '../model-server/index.ts';
import { failed, requestOf, run, textOf } from '../unit/model/wire-fixture.ts';

interface Sent {
  readonly headers: Headers;
  readonly body: { readonly thinking?: unknown; readonly output_config?: unknown };
}

/** What goes to Anthropic's own address. */
async function sentFor(
  model: string,
  effort: Effort | undefined,
  refusals: readonly string[] = [],
): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const wire = createAnthropicWire({
    apiKey: 'k',
    reopens: 0,
    fetch: async (_url, init) => {
      sent.push({ headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) });
      const message = refusals[sent.length - 1];
      return message === undefined
        ? new Response('', { status: 500 })
        : Response.json({ type: 'error', error: { type: 'invalid_request_error', message } }, { status: 400 });
    },
  });
  await run(wire, { ...requestOf(), model, ...(effort && { effort }) });
  return sent;
}

const BINDING = { prefix_mismatch_behavior: 'drop_block' };

describe('Claude 5.5', () => {
  for (const model of ['claude-opus-5-5', 'claude-fable-5-1', 'claude-fable-5-2']) {
    it(`H3. is never told not to think: ${model} thinks least at the lowest effort`, async () => {
      const [sent] = await sentFor(model, 'none');
      assert.deepEqual(sent?.body.thinking, { type: 'adaptive', display: 'summarized', block_binding: BINDING });
      assert.deepEqual(sent?.body.output_config, { effort: 'low' });
      assert.equal(sent?.headers.get('anthropic-beta'), 'thinking-binding-controls-2026-08-01');
    });
  }

  for (const model of ['claude-sonnet-5-5', 'claude-haiku-5-5']) {
    it(`H3. thinks between tools where no thinking is wanted: ${model}`, async () => {
      const [sent] = await sentFor(model, 'none');
      assert.deepEqual(sent?.body.thinking, { type: 'between_tools', block_binding: BINDING });
    });
  }

  it('H3a. shows its thoughts, also where no effort is named', async () => {
    const [sent] = await sentFor('claude-opus-5-5', undefined);
    assert.deepEqual(sent?.body.thinking, { type: 'adaptive', display: 'summarized', block_binding: BINDING });
  });

  it('H3b. is asked as before where the model is older', async () => {
    const [sent] = await sentFor('claude-opus-5', 'none');
    assert.deepEqual(sent?.body.thinking, { type: 'disabled' });
    assert.equal(sent?.headers.get('anthropic-beta'), null);
  });

  it('H6. is asked once more without a beta that is refused', async () => {
    const [first, second, ...more] = await sentFor('claude-opus-5-5', 'high', [
      'Unexpected value(s) for the `anthropic-beta` header.',
    ]);
    assert.notEqual(first?.headers.get('anthropic-beta'), null);
    assert.equal(second?.headers.get('anthropic-beta'), null);
    assert.deepEqual(second?.body.thinking, { type: 'adaptive', display: 'summarized' });
    assert.equal(more.length, 0);
  });
});

describe('what relays and servers send beside an answer', () => {
  it('H6a. does not take a keep-alive without a name for progress', async () => {
    const server = await ModelServer.start();
    try {
      const ping: Step = { raw: 'data: {"type":"keepalive"}\n\n' };
      const often = Array.from({ length: 60 }, (): Step[] => [ping, { delay: 5 }]).flat();
      server.script({ steps: [...often, { text: 'Too late.' }] });
      const wire = createOpenAiChatWire({
        baseUrl: server.openAiBaseUrl,
        reopens: 0,
        limits: { firstEventMs: 60, silenceMs: 60, localSilenceMs: 60 },
      });
      const parts = await run(wire);
      assert.equal(failed(parts).kind, 'timeout');
      assert.equal(textOf(parts), '');
    } finally {
      await server.close();
    }
  });

  it('H6b. waits as long as Google says in its details', () => {
    const body = JSON.stringify({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota exceeded.',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
        ],
      },
    });
    const error = classify(
      { at: 'status', status: 429, headers: new Headers(), body },
      { host: 'g', model: 'm', hasKey: true, secrets: [] },
    );
    assert.equal(error.retryAfterMs, 34_500);
  });

  it('H6c. leaves out the images of a body that is too large before anything of the conversation', () => {
    const error = classify(
      { at: 'status', status: 413, headers: new Headers(), body: 'too large' },
      { host: 'h', model: 'm', hasKey: true, secrets: [] },
    );
    const attempt = {
      error,
      shown: false,
      calling: false,
      session: { tokens: 10, messages: 2, window: 1000, thinks: false },
      refusedTool: undefined,
      severalKeys: false,
      maxOutput: undefined,
      connections: 1,
      maxAttempts: 4,
      random: 0,
      compaction: 'possible',
    } as const;
    const first = recover({ ...attempt, images: true }, FRESH);
    assert.equal(first.recovery.do, 'drop_images');
    assert.equal(recover({ ...attempt, images: false }, first.state).recovery.do, 'compact');
  });
});

describe('the catalogue', () => {
  const EFFORTS: readonly (readonly [model: string, efforts: readonly Effort[]])[] = [
    ['gemini-4-neon', ['low', 'medium', 'high', 'xhigh']],
    ['gemini-4-carbon', ['none', 'low', 'medium', 'high']],
    ['gemini-4-argon', ['none', 'low', 'medium', 'high']],
    ['gpt-6-astra', ['low', 'medium', 'high', 'xhigh', 'max']],
  ];
  for (const [model, efforts] of EFFORTS) {
    it(`H7. knows the efforts of ${model}`, () => assert.deepEqual(knownModel(model).efforts, efforts));
  }

  const PRICES: readonly (readonly [
    baseUrl: string,
    model: string,
    input: number,
    output: number,
    cacheRead?: number,
    cacheWrite?: number,
  ])[] = [
    ['https://generativelanguage.googleapis.com/v1beta', 'gemini-4-neon', 3, 15, 0.15],
    ['https://generativelanguage.googleapis.com/v1beta', 'gemini-4-hydrogen', 1.5, 7.5, 0.075],
    ['https://generativelanguage.googleapis.com/v1beta', 'gemini-3.5-flash', 1.5, 9, 0.15],
    ['https://generativelanguage.googleapis.com/v1beta', 'gemini-3.7-flash', 0.75, 3.75, 0.075],
    ['https://api.anthropic.com', 'claude-fable-5-2', 8, 40, 0.2, 10],
    ['https://api.openai.com/v1', 'gpt-6.1-terra', 1, 5],
    ['https://api.openai.com/v1', 'gpt-5.6', 4, 20, 0.4],
    ['https://api.openai.com/v1', 'gpt-5.3-codex', 1.75, 14],
  ];
  for (const [baseUrl, model, input, output, cacheRead, cacheWrite] of PRICES) {
    it(`H7. knows the price of ${model}`, () => {
      const { above: _, ...price } = priceOf({ api: 'openai-chat', baseUrl, model }) ?? assert.fail();
      assert.deepEqual(price, { input, output, ...(cacheRead && { cacheRead }), ...(cacheWrite && { cacheWrite }) });
    });
  }
});
