import assert from 'node:assert/strict';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import { png } from '../../fixtures/images.ts';
import type { RecordedRequest } from '../../model-server/index.ts';
import { event, Rig, type WireName } from './rig.ts';

const small = png(3, 2);
const other = png(5, 4, [10, 120, 220]);
const image = { mime: small.mime, base64: small.base64 };
const another = { mime: other.mime, base64: other.base64 };

for (const wire of ['openai-chat', 'anthropic'] as const satisfies readonly WireName[]) {
  describe(`images of a conversation on the ${wire} wire`, () => {
    let rig: Rig;
    let session: LiveSession;

    beforeEach(async () => {
      rig = await Rig.start(wire);
      rig.model = { vision: true };
      session = rig.agent.create();
    });

    afterEach(async () => {
      const refused = rig.server.requests.flatMap((request) => request.invalid ?? []);
      await rig.close();
      assert.deepEqual(refused, []);
    });

    it('go with their text and stay in every later request, byte for byte', async () => {
      rig.server.script({ steps: [{ text: 'A red one.' }] }, { steps: [{ text: 'And a blue one.' }] });
      session.send('What is it?', { images: [image] });
      await session.settled();
      session.send('And this?', { images: [another] });
      await session.settled();
      const [first, second] = rig.server.requests;
      assert.deepEqual(imagesIn(first), [small.base64]);
      assert.deepEqual(imagesIn(second), [small.base64, other.base64]);
      assert.ok(textOf(second).includes(messagesPart(first)), 'what was sent before is sent again unchanged');
    });

    it('go without a text too', async () => {
      rig.server.script({ steps: [{ text: 'I see.' }] });
      assert.equal(session.send('', { images: [image] }).outcome, 'started');
      await session.settled();
      assert.deepEqual(imagesIn(rig.server.requests[0]), [small.base64]);
      const [row] = session.rows();
      assert.deepEqual(
        row?.parts.map((part) => [part.type, part.type === 'image' && part.name]),
        [['image', 'image-1.png']],
      );
    });

    it('steer a running turn where the model sees them', async () => {
      rig.server.script({ steps: [{ text: 'Working.' }], holdHead: true }, { steps: [{ text: 'I see it.' }] });
      session.send('Begin');
      const request = await rig.server.nextRequest();
      const receipt = session.steer('Like this', { images: [image] });
      assert.equal(receipt.outcome, 'steering');
      request.release();
      await event(session, 'row', ({ row }) => row.displayText === 'I see it.');
      assert.deepEqual(imagesIn(rig.server.requests[1]), [small.base64]);
    });

    it('wait for a turn of their own where the model sees none, and the receipt says why', async () => {
      rig.model = { vision: false };
      rig.server.script({ steps: [{ text: 'Working.' }], holdHead: true }, { steps: [{ text: 'I see nothing.' }] });
      session.send('Begin');
      const request = await rig.server.nextRequest();
      const receipt = session.steer('Like this', { images: [image] });
      assert.equal(receipt.outcome, 'queued');
      assert.deepEqual(receipt.outcome === 'queued' && [receipt.downgradedFrom, receipt.reason], [
        'steer',
        'no_vision',
      ]);
      request.release();
      await event(session, 'row', ({ row }) => row.displayText === 'I see nothing.');
      assert.deepEqual(imagesIn(rig.server.requests[1]), []);
    });

    it('stay in the queue where the model sees none, also when they are to be sent now', async () => {
      rig.model = { vision: false };
      rig.server.script({ steps: [{ text: 'Working.' }], holdHead: true }, { steps: [{ text: 'I see nothing.' }] });
      session.send('Begin');
      const request = await rig.server.nextRequest();
      const { id } = session.queue('Like this', { images: [image] });
      const receipts = [session.sendNow(id), session.redirectNow(id)];
      assert.deepEqual(
        receipts.map((receipt) => [receipt.outcome, receipt.outcome === 'queued' && receipt.reason]),
        [
          ['queued', 'no_vision'],
          ['queued', 'no_vision'],
        ],
      );
      request.release();
      await event(session, 'row', ({ row }) => row.displayText === 'I see nothing.');
      assert.equal(rig.server.requests.length, 2);
    });

    it('give way to words for a model that sees none, and come back with one that does', async () => {
      rig.server.fallback = { steps: [{ text: 'Well.' }] };
      session.send('What is it?', { images: [image] });
      await session.settled();
      rig.model = { ref: 'fake/blind', vision: false };
      session.send('Go on');
      await session.settled();
      rig.model = { vision: true };
      session.send('And now?');
      await session.settled();
      const [, blind, seeing] = rig.server.requests;
      assert.deepEqual(imagesIn(blind), []);
      assert.match(textOf(blind), /An image was here: image-1\.png, 3×2; this model sees no images\./);
      assert.deepEqual(imagesIn(seeing), [small.base64]);
      assert.ok(textOf(seeing).includes(messagesPart(rig.server.requests[0])));
    });

    it('that a provider refuses give way to words on that model, once, and the session lives', async () => {
      const message = 'Could not process image';
      const body =
        wire === 'anthropic'
          ? { type: 'error', error: { type: 'invalid_request_error', message } }
          : { error: { type: 'invalid_request_error', code: 'invalid_image', message } };
      rig.server.script({ status: 400, body }, { steps: [{ text: 'I could not see it.' }] });
      session.send('What is it?', { images: [image] });
      assert.equal((await session.settled()).exitReason, 'answered');
      rig.server.script({ steps: [{ text: 'This one I see.' }] }, { steps: [{ text: 'Now both.' }] });
      session.send('And this?', { images: [another] });
      await session.settled();
      rig.model = { vision: true, ref: 'fake/another' };
      session.send('And you?');
      await session.settled();
      const sent = rig.server.requests.map(imagesIn);
      assert.deepEqual(sent, [[small.base64], [], [other.base64], [small.base64, other.base64]]);
      assert.match(textOf(rig.server.requests[1]), /image-1\.png, 3×2; the provider of this model refused it/);
    });

    it('G2a. that a tool reads follow the results of its batch, for good and after a reload', async () => {
      rig.write('one.png', small.bytes);
      rig.write('two.png', other.bytes);
      rig.write('a.txt', 'text');
      const read = (path: string) => ({ call: { name: 'read_file', input: { path } } });
      rig.server.script(
        { steps: [read('one.png'), read('a.txt'), read('two.png')] },
        { steps: [{ text: 'I see both.' }] },
      );
      session.send('Look at them');
      assert.equal((await session.settled()).exitReason, 'answered');
      const [, second] = rig.server.requests;
      assert.deepEqual(imagesIn(second), [small.base64, other.base64]);
      assert.match(textOf(second), /one\.png: image\/png, 3×2, \d+ bytes; it follows the results/);
      assert.match(textOf(second), /Images of the results above: one\.png, two\.png/);
      session = rig.reopen(session.id);
      rig.server.script({ steps: [{ text: 'Still.' }] });
      session.send('And now?');
      await session.settled();
      const third = rig.server.requests[2];
      assert.deepEqual(imagesIn(third), [small.base64, other.base64]);
      assert.ok(textOf(third).includes(messagesPart(second)), 'what was sent before is sent again unchanged');
    });

    it('G2b. that a tool reads are described to a model that sees none', async () => {
      rig.model = { vision: false };
      rig.write('one.png', small.bytes);
      const call = { call: { name: 'read_file', input: { path: 'one.png' } } };
      rig.server.script({ steps: [call] }, { steps: [{ text: 'I cannot see it.' }] });
      session.send('Look');
      await session.settled();
      const [, second] = rig.server.requests;
      assert.deepEqual(imagesIn(second), []);
      assert.match(textOf(second), /An image was here: one\.png, 3×2; this model sees no images/);
    });

    it('G2c. that a tool reads stand before a steer and a stop, and the next message', async () => {
      rig.write('one.png', small.bytes);
      const call = { call: { name: 'read_file', input: { path: 'one.png' } } };
      rig.server.script(
        { steps: [call] },
        { steps: [{ text: 'Well' }, { pause: 'middle' }] },
        { steps: [{ text: 'Yes.' }] },
      );
      session.send('Look');
      await rig.server.nextRequest();
      const request = await rig.server.nextRequest();
      await request.paused('middle');
      session.stop();
      await session.settled();
      session.send('Once more');
      await session.settled();
      assert.deepEqual(imagesIn(rig.server.requests[2]), [small.base64]);
    });

    it('are there again after a reload, and for a retry', async () => {
      rig.server.fallback = { steps: [{ text: 'Well.' }] };
      session.send('What is it?', { images: [image] });
      await session.settled();
      session = rig.reopen(session.id);
      session.retry();
      await session.settled();
      assert.deepEqual(imagesIn(rig.server.requests[1]), [small.base64, small.base64]);
    });

    it('come back with a text that a stop returns', async () => {
      rig.server.script({ steps: [{ text: 'Working.' }], holdHead: true });
      session.send('Begin');
      await rig.server.nextRequest();
      const { id } = session.steer('Like this', { images: [image] });
      session.stop();
      const [returned] = session.items();
      assert.equal(returned?.id, id);
      assert.deepEqual(
        returned?.attachments.map(({ kind, mime }) => [kind, mime]),
        [['image', 'image/png']],
      );
      await session.settled();
    });
  });
}

function imagesIn(request: RecordedRequest | undefined): readonly string[] {
  return [...textOf(request).matchAll(/(?:base64,|"data":")([A-Za-z0-9+/=]{20,})"/g)].map(([, base64 = '']) => base64);
}

/** From the bracket that opens the messages up to the one that closes them. */
function messagesPart(request: RecordedRequest | undefined): string {
  const raw = textOf(request);
  return raw.slice(raw.indexOf('"messages":['), raw.lastIndexOf(']'));
}

/** Without cache marks, which move. */
function textOf(request: RecordedRequest | undefined): string {
  return request?.bytes.toString('utf8').replaceAll(',"cache_control":{"type":"ephemeral"}', '') ?? '';
}
