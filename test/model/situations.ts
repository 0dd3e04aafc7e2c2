/** What happens to a conversation, each in a turn or two of the real loop. */

import assert from 'node:assert/strict';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { ToolDefinition } from '../../src/api.ts';
import { png } from '../fixtures/images.ts';
import type { RecordedRequest, Script } from '../model-server/index.ts';
import { event, type Rig } from '../unit/turn/rig.ts';

const answer = (text: string): Script => ({ steps: [{ text }] });
const call = (id: string, path = 'a.txt') => ({ call: { name: 'read_file', input: { path }, id } });
const waiting = (text: string): Script => ({ steps: [{ text }, { pause: 'middle' }] });
const HALF = String.fromCharCode(0xd83d);

/** Ids as some servers make them. */
export const IDS = [
  'call_abc',
  'functions.read_file:0',
  'fc|call_x',
  `call_${'x'.repeat(90)}`,
  'Ab3dE6gH9',
  '{"id":1}',
  'ä b',
];

export class Situations {
  readonly #rig: Rig;
  session: LiveSession;
  #entered: (() => void)[] = [];
  #leave: () => void = () => {};

  constructor(rig: Rig) {
    this.#rig = rig;
    rig.write('a.txt', 'the text of a\n');
    rig.write('blank.txt', ' \n');
    rig.write('shot.png', png(3, 2).bytes);
    rig.registry.register(
      this.#tool('wait', async (_input, signal) => {
        for (const entered of this.#entered.splice(0)) entered();
        await new Promise<void>((resolve) => {
          this.#leave = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        return 'waited';
      }),
    );
    rig.registry.register(this.#tool('silent', async () => ''));
    for (const [index, inputSchema] of DECLARED.entries())
      rig.registry.register({ ...this.#tool(`declared_${index}`, async () => 'ok'), inputSchema });
    this.session = rig.agent.create();
  }

  readonly all: Readonly<Record<string, () => Promise<void>>> = {
    'an answer': () => this.#turn('Hello', answer('Hello äöü 🙂')),
    'calls, thoughts and their results': () =>
      this.#turn(
        'Read',
        { steps: [{ reasoning: 'Look first.' }, ...IDS.map((id) => call(id))] },
        { steps: [{ text: 'Again.' }, call('call_abc')] },
        answer('Read.'),
      ),
    'a stop in mid-call': async () => {
      this.#rig.server.script({ steps: [{ text: 'I read' }, call('c1'), { pause: 'middle' }] });
      this.session.send('Work');
      await this.#paused();
      this.session.stop();
      await this.session.settled();
      await this.#turn('Continue', answer('Yes.'));
    },
    'a stop in mid-text': async () => {
      this.#rig.server.script(waiting('A part of'));
      this.session.send('Write');
      await this.#paused();
      this.session.stop();
      await this.session.settled();
      await this.#turn('Continue', answer('Yes.'));
    },
    'a stop while a tool runs': async () => {
      await this.#inTool('Wait');
      this.session.stop();
      await this.session.settled();
      await this.#turn('Continue', answer('Yes.'));
    },
    'a steer in mid-batch': async () => {
      await this.#inTool('Wait');
      this.session.steer('Rather so');
      this.#rig.server.script(answer('Steered.'));
      this.#leave();
      await this.session.settled();
    },
    'a steer while a call is written': async () => {
      this.#rig.server.script({ steps: [{ text: 'I read' }, call('c2'), { pause: 'middle' }] }, answer('Steered.'));
      this.session.send('Work');
      const request = await this.#paused();
      this.session.steer('Rather this');
      request.release('middle');
      await this.session.settled();
    },
    'a redirect in mid-text': async () => {
      this.#rig.server.script(waiting('Half of'));
      this.session.send('Write');
      await this.#paused();
      this.#rig.server.script(answer('Redirected.'));
      this.session.redirect('No, this');
      await this.session.settled();
    },
    'a redirect while a tool runs': async () => {
      await this.#inTool('Wait');
      this.#rig.server.script(answer('Redirected.'));
      this.session.redirect('No, that');
      this.#leave();
      await this.session.settled();
    },
    'a crash in mid-text': async () => {
      this.#rig.server.script(waiting('Until here'));
      this.session.send('Write on');
      await this.#paused();
      this.session = this.#rig.reopen(this.session.id);
      await this.#turn('Continue', answer('Yes.'));
    },
    'a crash while a tool runs': async () => {
      await this.#inTool('Wait');
      this.session = this.#rig.reopen(this.session.id);
      this.#leave();
      await this.#turn('Continue', { steps: [call('c3')] }, answer('Yes.'));
    },
    'an image of the user': async () => {
      const { mime, base64 } = png(3, 2);
      this.#rig.server.script({ steps: [call('c4')] }, answer('I see.'));
      const { turnId } = this.session.send('What is it?', { images: [{ mime, base64 }] });
      await this.session.settled(turnId);
    },
    'an image in a result': () =>
      this.#turn(
        'Look at it',
        { steps: [call('c8', 'shot.png'), call('c9'), call('c10', 'shot.png')] },
        { steps: [{ text: 'Once more.' }, call('c11', 'shot.png')] },
        answer('I see.'),
      ),
    'a steer behind an image in a result': async () => {
      await this.#inTool('Look', call('c12', 'shot.png'));
      this.session.steer('Rather so');
      this.#rig.server.script(answer('Steered.'));
      this.#leave();
      await this.session.settled();
    },
    'blank and broken texts': () =>
      this.#turn(
        `half ${HALF} pair`,
        { steps: [{ text: ' \n' }, { call: { name: 'silent', input: {} } }, call('c5', 'blank.txt')] },
        { steps: [{ call: { name: 'read_file', arguments: '{"path": nonsense}' } }] },
        { steps: [{ call: { name: 'läs die Datei!', input: { path: `a${HALF}` } } }] },
        { steps: [{ call: { name: 'read_file', arguments: '' } }] },
        answer(`and ${HALF} so`),
      ),
    'an answer that the limit cuts': () =>
      this.#turn('Long', { steps: [{ text: 'one ' }, { finish: 'length' }] }, answer('two')),
    'a call that the limit cuts': () =>
      this.#turn(
        'Big',
        { steps: [{ call: { name: 'read_file', arguments: '{"path":"a.' } }, { finish: 'length' }] },
        { steps: [call('c6')] },
        answer('It fits.'),
      ),
    'an answer of nothing': () => this.#turn('Nothing', { steps: [] }, answer('Now.')),
    'a summary': async () => {
      for (const word of ['one', 'two', 'three'])
        await this.#turn(`${word} `.repeat(2_000), answer(word.repeat(1_000)));
      this.#rig.server.script(answer('SUMMARY'));
      this.session.compact();
      await this.session.settled();
      await this.#turn('Behind it', { steps: [call('c7')] }, answer('Yes.'));
    },
  };

  async #turn(text: string, ...scripts: Script[]): Promise<void> {
    this.#rig.server.script(...scripts);
    const { turnId } = this.session.send(text);
    await this.session.settled(turnId);
    const { invalid = 'an answer was not asked for' } = this.#rig.server.requests.at(-1) ?? {};
    assert.equal(this.#rig.server.waiting, 0, `“${text.slice(0, 20)}”: ${invalid}`);
  }

  /** Two calls, of which the first stands. */
  async #inTool(text: string, ...before: readonly ReturnType<typeof call>[]): Promise<void> {
    const entered = new Promise<void>((resolve) => void this.#entered.push(resolve));
    const steps = [...before, { call: { name: 'wait', input: {}, id: 'w1' } }, call('w2')];
    this.#rig.server.script({ steps });
    this.session.send(text);
    await entered;
  }

  async #paused(): Promise<RecordedRequest> {
    const { server } = this.#rig;
    const from = this.session.seq;
    const request = await server.request(server.requests.length);
    await request.paused('middle');
    // The text in front of the pause has been read.
    await event(this.session, 'delta', () => true, from);
    return request;
  }

  #tool(name: string, invoke: ToolDefinition['invoke']): ToolDefinition {
    return { name, description: 'A test.', inputSchema: { type: 'object' }, readOnly: true, invoke };
  }
}

/** What servers declare of their tools. */
export const DECLARED: readonly Record<string, unknown>[] = [
  { type: 'object' },
  { type: 'object', additionalProperties: false },
  {
    type: 'object',
    properties: { list: { type: 'array' }, any: true, tuple: { type: 'array', items: [{ type: 'string' }] } },
    required: ['list', 'gone'],
  },
  {
    type: 'object',
    anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'number' } } }],
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      kind: { type: ['string', 'null'], anyOf: [{ enum: ['a/b', 'c'] }, { const: null }] },
      id: { $ref: '#/definitions/id', type: 'string' },
    },
    definitions: { id: { type: 'string', pattern: '^a', format: 'uuid' } },
  },
];
