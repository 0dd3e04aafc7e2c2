/** Every situation in every dialect, and every switch between two of them: no request that a server refuses. */

import assert from 'node:assert/strict';
import { PRESETS } from '../../src/agent/model/catalogue/index.ts';
import type { ModelRequest, ModelWire } from '../../src/agent/model/types.ts';
import { DIALECTS } from '../model-server/dialects/index.ts';
import { RecordedRequest } from '../model-server/request.ts';
import { validateOpenAi } from '../model-server/validate-openai.ts';
import { SERVED } from '../model-server/wires.ts';
import { collect } from '../unit/model/wire-fixture.ts';
import { Rig } from '../unit/turn/rig.ts';
import { Situations } from './situations.ts';
import { noting, SPEAKERS, type Speaker } from './speakers.ts';

const count = { legal: 0, illegal: [] as string[] };
/** What each speaker was asked for in each situation. */
const asked: ModelRequest[] = [];

function check(where: string, why: string | undefined): void {
  if (why === undefined) count.legal += 1;
  else count.illegal.push(`${where}: ${why}`);
}

async function rigOf(
  first: Speaker,
): Promise<{ rig: Rig; speak(speaker: Speaker): Promise<void>; heard: ModelRequest[] }> {
  const heard: ModelRequest[] = [];
  let current: { wire: ModelWire; model: string } | undefined;
  const rig = await Rig.start('openai-chat', { stepBudget: 30 }, () => ({
    models: {
      chosenRef: () => 'fake/model',
      resolve: async () => {
        if (current === undefined) throw new Error('nobody speaks');
        return { ref: 'fake/model', label: 'Fake', contextWindow: 200_000, maxOutput: 4096, vision: true, ...current };
      },
    },
  }));
  const speak = async (speaker: Speaker) => {
    current = { wire: noting(await speaker.open(rig.server), heard), model: speaker.model };
  };
  await speak(first);
  return { rig, speak, heard };
}

describe('H1. all situations in all dialects', function () {
  this.timeout(120_000);

  after(() => {
    console.log(`      ${count.legal + count.illegal.length} requests, ${count.illegal.length} illegal`);
  });

  for (const speaker of SPEAKERS) {
    it(`H1. is legal for ${speaker.name} whatever happens`, async () => {
      const { rig, heard } = await rigOf(speaker);
      try {
        const situations = new Situations(rig);
        const before = count.illegal.length;
        for (const [what, happens] of Object.entries(situations.all)) {
          const from = rig.server.requests.length;
          await happens();
          const requests = rig.server.requests.slice(from);
          assert.ok(requests.length > 0, `${what} asks the model`);
          for (const request of requests) check(`${speaker.name}, ${what}`, request.invalid);
          const last = heard.at(-1);
          if (last) asked.push(last);
        }
        assert.deepEqual(count.illegal.slice(before), []);
      } finally {
        await rig.close();
      }
    });
  }

  it('H1. is legal for each of them with what was said with any other', async () => {
    assert.ok(asked.length >= SPEAKERS.length * 10, `${asked.length} conversations`);
    const before = count.illegal.length;
    for (const speaker of SPEAKERS) {
      const wire = await speaker.open({ origin: 'http://127.0.0.1:9' }, (url, init) => {
        check(`${speaker.name} behind another`, refusalOf(String(url), init ?? {}));
        return Promise.reject(new Error('not sent'));
      });
      for (const request of asked) {
        await collect(wire.stream({ ...request, model: speaker.model }, new AbortController().signal));
      }
    }
    assert.deepEqual([...new Set(count.illegal.slice(before))], []);
  });

  it('H1a. goes from any of them to any other and back, with a call, a steer and thoughts', async () => {
    for (const [index, one] of SPEAKERS.entries()) {
      const { rig, speak } = await rigOf(one);
      try {
        const before = count.illegal.length;
        const situations = new Situations(rig);
        for (const other of SPEAKERS.slice(index + 1)) {
          await speak(one);
          await situations.all['calls, thoughts and their results']?.();
          await speak(other);
          await situations.all['a steer while a call is written']?.();
        }
        for (const request of rig.server.requests) check(`${one.name} and others`, request.invalid);
        assert.deepEqual([...new Set(count.illegal.slice(before))], []);
      } finally {
        await rig.close();
      }
    }
  });
});

describe('H1b. the server of each dialect', () => {
  const user = { role: 'user', content: 'Hello' };
  const asks = (id: string, more: object = {}) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
    ...more,
  });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
  const tool = (parameters: object) => ({ tools: [{ type: 'function', function: { name: 'f', parameters } }] });
  const object = { type: 'object', properties: {} };

  const REFUSED: readonly (readonly [dialect: string, messages: object[], more: object, says: RegExp])[] = [
    ['openai', [user, asks('x'.repeat(65)), result('x'.repeat(65))], {}, /maximum length of 64/],
    ['openai', [user], { model: 'gpt-5.6', ...tool(object) }, /use \/v1\/responses/],
    ['azure', [user], { model: 'gpt-6-astra', ...tool(object), reasoning_effort: 'none' }, /use \/v1\/responses/],
    ['azure', [user], tool({ type: 'object' }), /object schema missing properties/],
    [
      'copilot',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] }],
      {},
      /Vision/,
    ],
    ['mistral', [user, asks('Ab3dE6gH9'), result('Ab3dE6gH9'), user], {}, /Unexpected role 'user' after role 'tool'/],
    ['mistral', [user, asks('call_1'), result('call_1')], {}, /a length of 9/],
    ['mistral', [user], { stream: true, stream_options: { include_usage: true } }, /Extra inputs/],
    ['deepseek', [user, asks('c'), result('c')], {}, /reasoning_content is missing/],
    ['moonshot', [user, asks('c', { content: ' ', reasoning_content: ' ' }), result('c')], {}, /must not be empty/],
    [
      'moonshot',
      [user],
      tool({ ...object, properties: { a: { type: 'string', anyOf: [{ enum: ['b'] }] } } }),
      /moonshot flavored/,
    ],
    ['minimax', [user], tool({}), /function parameters is empty/],
    ['groq', [user, asks('c', { reasoning_content: 'hm' }), result('c')], {}, /reasoning_content' is unsupported/],
    [
      'xai',
      [user],
      tool({ ...object, properties: { a: { type: 'string', pattern: '^a' } } }),
      /pattern is not supported/,
    ],
    ['qwen', [{ role: 'developer', content: 'Be.' }, user], {}, /unknown variant `developer`/],
    ['openrouter', [user], tool({ ...object, anyOf: [{}] }), /'anyOf' at the top level/],
    [
      'ollama',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] }],
      {},
      /invalid image/,
    ],
    ['groq', [user, { role: 'assistant', content: 'x', reasoning_details: [{}] }, user], {}, /Unrecognized key/],
    ['unheard-of', [user], {}, /unknown dialect unheard-of/],
  ];

  for (const [dialect, messages, more, says] of REFUSED) {
    it(`H1b. refuses in the words of ${dialect}: ${says.source}`, () => {
      const body = { model: 'm', messages, ...more };
      assert.match(validateOpenAi(body, dialect) ?? '', says);
    });
  }

  it('H1b. knows the dialect of each provider that may be asked by Chat Completions', () => {
    const others = new Set(['vscode', 'anthropic', 'gemini', 'bedrock', 'kimi', 'codex', 'practice']);
    const claimed = Object.keys(PRESETS).filter((id) => !others.has(id));
    assert.deepEqual(
      claimed.filter((id) => !Object.hasOwn(DIALECTS, id)),
      [],
    );
  });
});

/** What the server would say to it. */
function refusalOf(url: string, { headers, body }: RequestInit): string | undefined {
  const { pathname: path, host } = new URL(url);
  const served = SERVED.find((wire) => wire.serves(path));
  if (served === undefined) return `nobody serves ${path}`;
  const bytes = Buffer.from(String(body));
  const sent = { ...Object.fromEntries(new Headers(headers)), host, 'content-length': String(bytes.length) };
  return served.validate(
    new RecordedRequest({ index: 0, wire: served.name, path, headers: sent, port: 0, arrivedAt: 0, bytes }),
  );
}
