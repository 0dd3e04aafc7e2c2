/** What a failed attempt changes of the turn beside asking again. */

import assert from 'node:assert/strict';
import { answer, CHOSEN, FailureRig, modelOf, refusal } from '../../model/failure-rig.ts';
import { event } from './rig.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a failed attempt', () => {
  let failures: FailureRig;

  beforeEach(async () => {
    failures = await FailureRig.start();
  });

  afterEach(async () => {
    const refused = failures.rig.server.requests.flatMap((request) => request.invalid ?? []);
    await failures.rig.close();
    assert.deepEqual(refused, [], 'every request was legal');
  });

  it('leaves the image out that the provider refused, says so to the model and goes on', async () => {
    failures.rig.server.script(
      refusal(400, 'image exceeds 5 MB maximum'),
      answer('I cannot see it.'),
      answer('Still.'),
    );
    failures.session.send('What is this?', { images: [{ mime: 'image/png', base64: PIXEL }] });
    assert.equal((await failures.session.settled()).finalText, 'I cannot see it.');
    await failures.turn('And now?');
    const [first, second, third] = failures.rig.server.requests.map(({ bytes }) => bytes.toString());
    assert.match(first ?? '', /image_url/);
    for (const later of [second, third]) {
      assert.doesNotMatch(later ?? '', /image_url/);
      assert.match(later ?? '', /refused it/);
    }
  });

  it('leaves images out of a body that is too large and that no summary makes smaller', async () => {
    failures.rig.server.script(refusal(413, 'Request entity too large'), answer('Without it.'));
    failures.session.send('What is this?', { images: [{ mime: 'image/png', base64: PIXEL }] });
    assert.equal((await failures.session.settled()).finalText, 'Without it.');
    assert.deepEqual(failures.asked(), ['key alpha', 'key alpha']);
  });

  it('compacts a conversation whose body is too large, and ends when it still is', async () => {
    await failures.turn('Long', answer('word '.repeat(20_000)));
    const large = refusal(413, 'Request entity too large');
    const mended = await failures.turn('Hi', large, answer('SUMMARY'), answer('Hello.'));
    assert.equal(mended.finalText, 'Hello.');
    await failures.turn('Longer', answer('word '.repeat(20_000)));
    const ended = await failures.turn('Hi', large, answer('SUMMARY'), large);
    assert.equal(ended.exitReason, 'context_exhausted');
    assert.match(ended.error?.message ?? '', /even though it was summarised/);
  });

  it('ends with words for people when what would not fit cannot be compacted either', async () => {
    const tier = refusal(429, 'Extra usage is required for long context requests');
    const long = await failures.turn('Hi', tier);
    assert.deepEqual([long.exitReason, long.error?.action], ['context_exhausted', 'midcourse.selectModel']);
    assert.match(long.error?.message ?? '', /was not compacted: .*Nothing is lost/);
    const large = await failures.turn('Hi', refusal(413, 'Request entity too large'), refusal(500, 'no'));
    assert.match(large.error?.message ?? '', /was not compacted: .*Nothing is lost/);
  });

  it('compacts a long conversation that a server refuses without a reason', async () => {
    await failures.turn('Long', answer('word '.repeat(20_000), { input: 50_000, output: 10 }));
    const result = await failures.turn('Hi', { status: 400, body: '' }, answer('SUMMARY'), answer('Hello.'));
    assert.equal(result.finalText, 'Hello.');
    assert.equal((await failures.turn('Again', { status: 400, body: '' })).error?.kind, 'bad_request');
  });

  it('is not why a turn ended that was stopped before it was asked again', async () => {
    failures.rig.server.script(refusal(429, 'slow down', {}, { 'retry-after': '1' }));
    const { turnId } = failures.session.send('Hi');
    await event(failures.session, 'request.ended');
    assert.equal(failures.session.phase, 'backoff');
    failures.session.stop();
    const result = await failures.session.settled(turnId);
    assert.equal(result.exitReason, 'interrupted_by_user');
    assert.equal(result.error, undefined);
  });

  describe('while another model is looked for', () => {
    let found = () => {};
    let looked: Promise<void>;

    beforeEach(async () => {
      failures.routes.fallbacks = ['second/beta'];
      looked = new Promise((resolve) => {
        failures.beforeOpening = (ref) => {
          if (ref !== 'second/beta') return undefined;
          failures.beforeOpening = () => undefined;
          resolve();
          return new Promise((go) => {
            found = go;
          });
        };
      });
    });

    it('is asked again by nobody when the user stops', async () => {
      failures.rig.server.script(refusal(402, 'No credit'));
      failures.session.send('Hi');
      await looked;
      failures.session.stop();
      const result = await failures.session.settled();
      found();
      assert.equal(result.exitReason, 'interrupted_by_user');
      assert.equal((await failures.turn('Go on', answer('Yes.'))).finalText, 'Yes.');
      assert.equal(failures.rig.server.requests.length, 2);
      assert.equal(failures.notices('model_switched').length, 1);
    });

    it('is asked again at once with what the user redirects to, and the model that is found then counts for nothing', async () => {
      failures.rig.server.script(refusal(404, 'The model does not exist'), answer('Yes.'));
      failures.session.send('Hi');
      await looked;
      failures.session.redirect('Say yes');
      const second = await failures.rig.server.request(1);
      found();
      const result = await failures.session.settled();
      assert.equal(result.finalText, 'Yes.');
      assert.equal(modelOf(second), 'alpha');
      assert.match(second.bytes.toString(), /Say yes/);
      assert.equal(failures.rig.server.requests.length, 2);
      assert.deepEqual(failures.notices('model_switched'), []);
    });
  });

  it('leaves a line in the log with what is needed to find it at the provider', async () => {
    await failures.turn('Hi', refusal(500, 'no', {}, { 'x-request-id': 'req_7' }), answer('Hello.'));
    const lines = failures.log.filter((line) => / attempt \d \(/.test(line));
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /attempt 1 \(first\/alpha\): server, HTTP 500.*x-request-id=req_7/);
    assert.match(
      lines[1] ?? '',
      /attempt 2 \(first\/alpha\): stop, HTTP 200, \d+ events in \d+ ms, first after \d+ ms/,
    );
  });

  it('warns once in a session when little is left of a limit', async () => {
    const tight = {
      steps: [{ text: 'Hello.' }],
      headers: {
        'x-ratelimit-limit-tokens': '1000',
        'x-ratelimit-remaining-tokens': '100',
        'x-ratelimit-reset-tokens': '60',
      },
    };
    await failures.turn('Hi', tight);
    await failures.turn('Again', tight);
    assert.deepEqual(failures.notices('rate_limit_warning'), [
      '90 % of what alpha allows are used: 100 of 1000 tokens are left. It is whole again in 60 s. Work goes on; at the limit it waits.',
    ]);
  });

  it('is asked again with the limit that the plan was found to have, for the rest of the turn', async () => {
    failures.routes.models = { [CHOSEN]: { maxOutput: 100_000 } };
    const words = 'max_tokens is too large: 100000. This model supports at most 4096 completion tokens';
    failures.rig.write('a.txt', 'A');
    const call = { steps: [{ call: { name: 'read_file', input: { path: 'a.txt' } } }] };
    await failures.turn('Hi', refusal(400, words), call, answer('Read.'));
    const limits = failures.rig.server.requests.map(({ body }) => (body as { max_tokens?: number }).max_tokens);
    assert.deepEqual(limits, [100_000, 4032, 4032]);
  });

  it('lets a model think that does not answer without, for this request', async () => {
    const thinker = refusal(400, 'Reasoning is mandatory for this endpoint and cannot be disabled.');
    failures.routes.models = { [CHOSEN]: { effort: 'none' } };
    assert.equal((await failures.turn('Hi', thinker, answer('Hello.'))).finalText, 'Hello.');
    assert.equal((await failures.turn('Hi', thinker, thinker)).error?.kind, 'reasoning_mandatory');
  });

  it('goes on from the shown text with another model when the first one’s account runs dry behind it', async () => {
    failures.routes.fallbacks = ['second/beta'];
    const dry = {
      steps: [{ text: 'One, ' }, { error: { type: 'insufficient_quota', message: 'no', code: 'insufficient_quota' } }],
    };
    const result = await failures.turn('Count', dry, refusal(402, 'No credit'), answer('two.'));
    assert.equal(result.finalText, 'One, two.');
    assert.deepEqual(failures.rig.server.requests.map(modelOf), ['alpha', 'alpha', 'beta']);
  });
});

describe('a wait that the server asked for', () => {
  it('is no lack of progress', async () => {
    const failures = await FailureRig.start({ livenessTimeout: 80 });
    failures.rig.server.script(refusal(503, 'busy', {}, { 'retry-after-ms': '400' }), answer('Hello.'));
    failures.session.send('Hi');
    await event(failures.session, 'state', ({ phase }) => phase === 'backoff');
    assert.equal((await failures.session.settled()).exitReason, 'answered');
    await failures.rig.close();
  });
});
