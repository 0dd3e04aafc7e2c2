/**
 * The prompt's prefix, as bytes: what request n sends of the conversation, request n + 1 sends again, whatever the user
 * and the provider do in between. Cache marks, which move, are not counted.
 */

import assert from 'node:assert/strict';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import { sharedPrefixes } from '../harness/shared-prefix.ts';
import type { RecordedRequest, Script } from '../model-server/index.ts';
import { WIRES } from '../unit/model/wire-fixture.ts';
import { event, Rig } from '../unit/turn/rig.ts';

/** Requests of one session that are compared; those that the provider refused too. */
const REQUESTS = 50;

const answer = (text: string): Script => ({ steps: [{ usage: { input: 500, output: 9 } }, { text }] });
const read: Script = {
  steps: [{ reasoning: 'Look first.' }, { call: { name: 'read_file', input: { path: 'a.txt' } } }],
};
const waiting = (text: string): Script => ({ steps: [{ text }, { pause: 'middle' }] });
const LIMITED: Script = { status: 429, headers: { 'retry-after-ms': '1' }, body: { error: { message: 'slow down' } } };

for (const wire of WIRES) {
  describe(`the prefix of a long session on the ${wire.name} wire`, () => {
    let rig: Rig;
    let session: LiveSession;

    beforeEach(async () => {
      rig = await Rig.start('openai-chat', { stepBudget: 50 }, (server) => {
        const own = wire.create(server, { apiKey: 'k' });
        return { models: { resolve: async () => ({ ...MODEL, wire: own, ...rig?.model }) } };
      });
      rig.write('a.txt', 'the text of a\n');
      session = rig.agent.create();
    });

    afterEach(() => rig.close());

    /** A turn whose newest request stands in the middle of its answer. */
    async function standing(text: string, ...scripts: Script[]): Promise<RecordedRequest> {
      const index = rig.server.requests.length + scripts.length - 1;
      rig.server.script(...scripts);
      session.send(text);
      const request = await rig.server.request(index);
      await request.paused('middle');
      await event(session, 'delta', () => true, session.seq - 1);
      return request;
    }

    async function turn(text: string, ...scripts: Script[]): Promise<void> {
      rig.server.script(...scripts);
      await session.settled(session.send(text).turnId);
    }

    const does: Readonly<Record<string, (n: number) => Promise<void>>> = {
      'an answer': (n) => turn(`Say ${n}`, answer(`${n} äöü "quoted" \\ ${n}`)),
      'tool calls': (n) => turn(`Read ${n}`, read, read, answer('Read twice.')),
      async 'a steer'(n) {
        rig.server.script({ steps: [...stepsOf(read), { pause: 'middle' }] }, answer('Steered.'));
        const { turnId } = session.send(`Work ${n}`);
        const request = await rig.server.request(rig.server.requests.length);
        await request.paused('middle');
        session.steer(`Rather so ${n}`);
        request.release('middle');
        await session.settled(turnId);
      },
      async 'a redirect'(n) {
        await standing(`Write ${n}`, waiting(`Half of ${n}`));
        rig.server.script(answer('Redirected.'));
        session.redirect(`No, this ${n}`);
        await session.settled();
      },
      async 'a stop in mid-text'(n) {
        await standing(`Write long ${n}`, waiting(`A part of ${n}`));
        session.stop();
        await session.settled();
      },
      async 'a stop behind a tool'(n) {
        await standing(`Work long ${n}`, read, waiting('So far'));
        session.stop();
        await session.settled();
      },
      async 'a reload'() {
        session = rig.reopen(session.id);
      },
      async 'a reload in mid-text'(n) {
        await standing(`Write on ${n}`, waiting(`Until here ${n}`));
        session = rig.reopen(session.id);
      },
      'a limit and a retry': (n) => turn(`Try ${n}`, LIMITED, answer('At last.')),
      'an answer in pieces': (n) => turn(`Long ${n}`, cutAt('one '), cutAt('two '), answer('three')),
      'a call that needs more room': (n) => turn(`Big ${n}`, halfCall(), read, answer('It fits.')),
      async 'context of a hook'(n) {
        rig.hooks.set('pre_llm_call', () => ({ context: `It is ${n} o’clock.` }));
        await turn(`Hooked ${n}`, answer('Yes.'));
        rig.hooks.delete('pre_llm_call');
      },
      async 'a tool that comes and goes in mid-turn'(n) {
        rig.server.script({ steps: [...stepsOf(read), { pause: 'middle' }] }, answer('Same tools.'));
        const { turnId } = session.send(`Tools ${n}`);
        const request = await rig.server.request(rig.server.requests.length);
        await request.paused('middle');
        const tool = { name: `extra_${n}`, description: 'A test.', inputSchema: { type: 'object' }, readOnly: true };
        const registered = rig.registry.register({ ...tool, invoke: async () => 'ok' });
        request.release('middle');
        await session.settled(turnId);
        registered.dispose();
      },
      async 'another effort'(n) {
        rig.model = { effort: n % 2 === 0 ? 'low' : 'high' };
        await turn(`Think ${n}`, answer('Thought.'));
      },
      async 'a new title'(n) {
        session.rename(`Title ${n}`);
        await turn(`Titled ${n}`, answer('Named.'));
      },
      async 'a queue'(n) {
        const request = await standing(`First ${n}`, waiting('one'));
        rig.server.script(answer('Queued.'));
        const since = session.seq;
        session.queue(`Then ${n}`);
        request.release('middle');
        await event(session, 'settled', ({ result }) => result.finalText === 'Queued.', since);
      },
    };

    it(`repeats all of each request in the next, through all that may happen in ${REQUESTS} requests`, async function () {
      this.timeout(60_000);
      for (let n = 0; rig.server.requests.length < REQUESTS; n++) {
        for (const act of Object.values(does)) await act(n);
      }
      assert.deepEqual(new Set(rig.server.requests.map(({ invalid }) => invalid)), new Set([undefined]));
      const shares = sharedPrefixes(rig.server.requests);
      const sorted = shares.toSorted((one, other) => one.share - other.share);
      const [worst] = sorted;
      const median = sorted[Math.floor(sorted.length / 2)];
      console.log(`      ${shares.length} pairs: worst ${worst?.share.toFixed(4)}, median ${median?.share.toFixed(4)}`);
      assert.deepEqual(shares.filter(({ share }) => share < 1).slice(0, 3), []);
    });
  });
}

describe('what stands before the messages', () => {
  it('stays as it is while a turn runs, and may be another one in the next', async () => {
    let asked = 0;
    const rig = await Rig.start('openai-chat', {}, () => ({ systemPrompt: () => `Prompt ${++asked}.` }));
    try {
      rig.write('a.txt', 'a');
      const session = rig.agent.create();
      rig.server.script({ steps: [...stepsOf(read), { pause: 'middle' }] }, read, answer('One.'), answer('Two.'));
      const { turnId } = session.send('Go');
      const request = await rig.server.nextRequest();
      await request.paused('middle');
      const tool = { name: 'late', description: 'A test.', inputSchema: { type: 'object' }, readOnly: true };
      rig.registry.register({ ...tool, invoke: async () => 'ok' });
      request.release('middle');
      await session.settled(turnId);
      await session.settled(session.send('Again').turnId);
      const heads = rig.server.requests.map((one) => headOf(one));
      assert.equal(new Set(heads.slice(0, 3)).size, 1);
      assert.notEqual(heads[3], heads[2]);
      assert.deepEqual(
        rig.server.requests.map((one) => one.bytes.includes('"name":"late"')),
        [false, false, false, true],
      );
    } finally {
      await rig.close();
    }
  });

  it('still offers a tool that is gone until the turn ends; its call gets an error and the turn goes on', async () => {
    const rig = await Rig.start('openai-chat');
    try {
      const tool = { name: 'fleeting', description: 'A test.', inputSchema: { type: 'object' }, readOnly: true };
      const registered = rig.registry.register({ ...tool, invoke: async () => 'ok' });
      const session = rig.agent.create();
      const call: Script = { steps: [{ call: { name: 'fleeting', input: {} } }] };
      rig.server.script({ steps: [...stepsOf(call), { pause: 'middle' }] }, call, answer('Without it.'));
      const { turnId } = session.send('Go');
      const request = await rig.server.nextRequest();
      await request.paused('middle');
      registered.dispose();
      request.release('middle');
      const result = await session.settled(turnId);
      assert.equal(result.finalText, 'Without it.');
      const results = session.rows().filter(({ kind }) => kind === 'tool_result');
      assert.deepEqual(
        results.map(({ status }) => status),
        ['error', 'error'],
      );
      assert.ok(rig.server.requests.every((one) => one.bytes.includes('"name":"fleeting"')));
    } finally {
      await rig.close();
    }
  });
});

const MODEL = {
  ref: 'fake/model',
  label: 'Fake',
  model: 'claude-fake',
  contextWindow: 1_000_000,
  maxOutput: 4096,
  vision: false,
} as const;

function cutAt(text: string): Script {
  return { steps: [{ text }, { finish: 'length' }] };
}

function halfCall(): Script {
  return { steps: [{ call: { name: 'read_file', arguments: '{"path":"a.' } }, { finish: 'length' }] };
}

function stepsOf(script: Script): Extract<Script, { steps: unknown }>['steps'] {
  if (typeof script === 'function' || !('steps' in script)) throw new Error('no steps');
  return script.steps;
}

function headOf(request: RecordedRequest): string {
  const body = request.bytes.toString();
  const system = body.indexOf('"role":"user"');
  return body.slice(0, system);
}
