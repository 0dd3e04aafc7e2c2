/** What was used, what it costs, and how much a model is asked to think (facts section 7). */

import assert from 'node:assert/strict';
import { effortFor, knownModel, priceOf } from '../../src/agent/model/catalogue/index.ts';
import { costOf, usageCaveat } from '../../src/agent/model/index.ts';
import { costLabel } from '../../src/protocol/index.ts';
import { ModelServer, type Step } from '../model-server/index.ts';
import { ended } from '../unit/model/wire-fixture.ts';
import { ask, providersOf, routeOf } from './route-rig.ts';

const all = providersOf({});

describe('usage and cost', () => {
  let server: ModelServer;

  before(async () => {
    server = await ModelServer.start();
  });
  beforeEach(() => server.reset());
  after(() => server.close());

  async function usageOf(ref: string, ...frames: object[]) {
    const raw = frames.map(
      (frame) => `event: ${(frame as { type?: string }).type ?? 'message'}\ndata: ${JSON.stringify(frame)}\n\n`,
    );
    const steps: Step[] = [{ raw: raw.join('') }, { eof: true }];
    server.script({ steps });
    return ended((await ask(server, all.named(ref))).parts).usage;
  }

  it('163. counts what came from the cache once: out of the total of Responses, beside the input of Messages', async () => {
    const item = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    };
    const responses = await usageOf(
      'openai/gpt-6.2-sol',
      { type: 'response.output_item.done', output_index: 0, sequence_number: 1, item },
      {
        type: 'response.completed',
        sequence_number: 2,
        response: {
          id: 'resp_1',
          status: 'completed',
          output: [item],
          usage: {
            input_tokens: 1000,
            input_tokens_details: { cached_tokens: 400 },
            output_tokens: 7,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 1007,
          },
        },
      },
    );
    const messages = await usageOf(
      'anthropic/claude-sonnet-5-5',
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    );
    const buckets = { input: 600, output: 7, cacheRead: 400, cacheWrite: 0, reasoning: 0 };
    assert.deepEqual(responses, buckets);
    assert.deepEqual(messages, buckets);
  });

  it('164. reads what DeepSeek had in its cache from a name of its own', async () => {
    const chunk = (delta: object, finish: string | null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const usage = await usageOf('deepseek/deepseek-v4-pro', chunk({ role: 'assistant', content: 'Hi' }, null), {
      ...chunk({}, 'stop'),
      usage: {
        prompt_tokens: 339,
        completion_tokens: 92,
        total_tokens: 431,
        prompt_cache_hit_tokens: 320,
        prompt_cache_miss_tokens: 19,
      },
    });
    assert.deepEqual(usage, { input: 19, output: 92, cacheRead: 320, cacheWrite: 0, reasoning: 0 });
  });

  it('164. counts nothing as less than zero when a server says more came from its cache than it read', async () => {
    const usage = await usageOf('deepseek/deepseek-v4-pro', {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, prompt_cache_hit_tokens: 64 },
    });
    assert.equal(usage?.input, 0);
  });

  it('165. leaves a cost unknown when cached tokens have no price, though all others have', () => {
    const price = { input: 2, output: 10 };
    const used = { input: 100, output: 10, cacheRead: 50, cacheWrite: 0, reasoning: 0 };
    assert.equal(costOf(used, price), undefined);
    assert.equal(costOf({ ...used, cacheRead: 0 }, price), 0.0003);
    assert.equal(costOf({ ...used, cacheRead: 0, cacheWrite: 5 }, price), undefined);
  });

  it('165. writes a cost below a cent with four decimals', () => {
    assert.equal(costLabel(0.0042), '$0.0042');
    assert.equal(costLabel(0.42), '$0.42');
  });

  it('165. counts what a subscription pays as included, not as unknown', () => {
    const { api, baseUrl = '' } = routeOf(all.named('codex/gpt-6.2-sol'));
    const price = priceOf({ api, baseUrl, model: 'gpt-6.2-sol' });
    assert.equal(price?.included, true);
    assert.equal(costOf({ input: 9, output: 9, cacheRead: 9, cacheWrite: 9, reasoning: 0 }, price), 0);
  });

  it('165. takes the dearer price for the whole request once its prompt is long, cached tokens counted', () => {
    const price = priceOf({
      api: 'gemini',
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      model: 'gemini-2.5-pro',
    });
    const used = { input: 100_000, output: 0, cacheWrite: 0, reasoning: 0 };
    assert.equal(costOf({ ...used, cacheRead: 100_000 }, price), 0.1375);
    assert.equal(costOf({ ...used, cacheRead: 100_001 }, price)?.toFixed(6), (0.27500025).toFixed(6));
  });

  it("166. says in the log what MiniMax-M3's counts are worth on the Messages API, and nothing of Claude's", () => {
    const caveat = (ref: string) => {
      const named = all.named(ref);
      const { api, baseUrl = '' } = routeOf(named);
      return usageCaveat({ api, baseUrl, model: named.model });
    };
    assert.match(caveat('minimax/MiniMax-M3') ?? '', /128 tokens/);
    assert.equal(caveat('minimax/MiniMax-M2.7'), undefined);
    assert.equal(caveat('anthropic/claude-sonnet-5-5'), undefined);
  });

  it('167. asks for the next weaker effort of a model that does not take the wanted one', async () => {
    const { efforts } = knownModel('gpt-5.4');
    const { request } = await ask(server, all.named('openai/gpt-5.4'), effortFor(efforts, 'max'));
    assert.equal((request.body as { reasoning?: { effort?: string } }).reasoning?.effort, 'xhigh');
  });

  it('167. asks for low where minimal is wanted of a model that begins at low, and never for none instead', async () => {
    for (const model of ['gpt-5.1', 'gpt-6.2-sol']) {
      const { efforts } = knownModel(model);
      const { request } = await ask(server, all.named(`openai/${model}`), effortFor(efforts, 'minimal'));
      assert.equal((request.body as { reasoning?: { effort?: string } }).reasoning?.effort, 'low', model);
    }
  });
});
