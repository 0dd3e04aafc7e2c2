/** Failures over the real loop, routes, pools and wires: who is asked again, when, and what is said (facts section 3). */

import assert from 'node:assert/strict';
import { classify, failureOfWords } from '../../src/agent/model/index.ts';
import { event } from '../unit/turn/rig.ts';
import { answer, CHOSEN, FailureRig, refusal } from './failure-rig.ts';

describe('failures of a model', () => {
  let failures: FailureRig;

  beforeEach(async () => {
    failures = await FailureRig.start();
  });

  afterEach(async () => {
    const refused = failures.rig.server.requests.flatMap((request) => request.invalid ?? []);
    await failures.rig.close();
    assert.deepEqual(refused, [], 'every request was legal');
  });

  describe('keys', () => {
    it('106. takes the next key at once when a key has no credit', async () => {
      failures.routes.keys = { first: ['A', 'B'] };
      const result = await failures.turn('Hi', refusal(402, 'Insufficient credits'), answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      assert.deepEqual(failures.asked(), ['A alpha', 'B alpha']);
      assert.deepEqual(failures.waits, []);
    });

    it('106. waits with the same key when a 402 is a usage limit that passes', async () => {
      failures.routes.keys = { first: ['A', 'B'] };
      await failures.turn('Hi', refusal(402, 'Usage limit reached, please try again later'), answer('Hello.'));
      assert.deepEqual(failures.asked(), ['A alpha', 'A alpha']);
      assert.equal(failures.waits.length, 1);
    });

    it('106. takes the next key with the second limit in a row, and waits for nobody then', async () => {
      failures.routes.keys = { first: ['A', 'B'] };
      await failures.turn('Hi', refusal(429, 'Slow down'), refusal(429, 'Slow down'), answer('Hello.'));
      assert.deepEqual(failures.asked(), ['A alpha', 'A alpha', 'B alpha']);
      assert.equal(failures.waits.length, 1);
    });

    it('106. takes the next key at once when a subscription is used up', async () => {
      failures.routes.keys = { first: ['A', 'B'] };
      await failures.turn('Hi', refusal(429, 'Used up', { type: 'usage_limit_reached' }), answer('Hello.'));
      assert.deepEqual(failures.asked(), ['A alpha', 'B alpha']);
    });

    it('106. does not charge attempts with another key to the attempts of a request', async () => {
      failures.routes.keys = { first: ['A', 'B'] };
      const broken = refusal(500, 'The server had an error');
      const result = await failures.turn(
        'Hi',
        broken,
        broken,
        refusal(402, 'No credit'),
        broken,
        broken,
        answer('Hello.'),
      );
      assert.equal(result.finalText, 'Hello.');
      assert.equal(failures.waits.length, 4);
    });

    it('107. keeps the key and waits when a 429 says that the model is overloaded', async () => {
      failures.routes.keys = { first: ['A', 'B'] };
      const overloaded = refusal(429, 'The model is overloaded');
      await failures.turn('Hi', overloaded, overloaded, answer('Hello.'));
      assert.deepEqual(failures.asked(), ['A alpha', 'A alpha', 'A alpha']);
      assert.equal(failures.waits.length, 2);
    });

    it('113. sends one request with a key that was copied with a letter no header can carry', async () => {
      failures.routes.keys = { first: ['\u200bsk-clean\u201d'] };
      await failures.turn('Hi', answer('Hello.'));
      assert.deepEqual(failures.asked(), ['sk-clean alpha']);
    });

    it('116. reads the key again once after a 401, and gives up when the new one is refused too', async () => {
      failures.routes.keys = { first: ['A'] };
      failures.rig.server.script(() => {
        failures.routes.keys = { first: ['B'] };
        return { status: 401, body: { error: { message: 'Incorrect API key' } } };
      });
      const result = await failures.turn('Hi', refusal(401, 'Incorrect API key'), answer('never'));
      assert.equal(result.exitReason, 'model_error');
      assert.equal(result.error?.kind, 'auth');
      assert.deepEqual(failures.asked(), ['A alpha', 'B alpha']);
      assert.equal(failures.rereads, 1);
    });

    it('116. asks nothing again when the key is still the same', async () => {
      const result = await failures.turn('Hi', refusal(401, 'Incorrect API key'), answer('never'));
      assert.equal(result.error?.kind, 'auth');
      assert.equal(result.error?.action, 'midcourse.setApiKey');
      assert.equal(failures.asked().length, 1);
    });

    it('117. stays with the key that it changed to when the first one is read again, and blames the one in use', async () => {
      failures.routes.keys = { first: ['A', 'B', 'C'] };
      await failures.turn('Hi', refusal(402, 'No credit'), answer('One.'));
      // The environment names A first again, as if nothing had happened to it.
      failures.routes.keys = { first: ['A', 'B', 'C'] };
      await failures.turn('Again', answer('Two.'));
      assert.deepEqual(failures.asked().slice(-1), ['B alpha']);
      await failures.turn('More', refusal(402, 'No credit'), answer('Three.'));
      assert.deepEqual(failures.asked().slice(-2), ['B alpha', 'C alpha']);
      await failures.turn('End', answer('Four.'));
      assert.deepEqual(failures.asked().slice(-1), ['C alpha']);
    });

    it('117. uses the only key again in the next turn although it reached a limit: that is not a missing key', async () => {
      const slow = refusal(429, 'Slow down');
      const result = await failures.turn('Hi', slow, slow, slow);
      assert.equal(result.error?.kind, 'rate_limit');
      assert.equal((await failures.turn('Again', answer('Hello.'))).finalText, 'Hello.');
    });
  });

  describe('the same model', () => {
    it('108. asks once when a parameter is not supported, and compacts nothing', async () => {
      const words =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.";
      const result = await failures.turn('Hi', refusal(400, words, { code: 'unsupported_parameter' }), answer('never'));
      assert.equal(result.error?.kind, 'bad_request');
      assert.equal(result.exitReason, 'model_error');
      assert.equal(failures.asked().length, 1);
    });

    it('109. asks once when a 500 names an unknown parameter', async () => {
      const result = await failures.turn('Hi', refusal(500, 'Unknown parameter: reasoning_effort'), answer('never'));
      assert.equal(result.error?.kind, 'bad_request');
      assert.equal(failures.asked().length, 1);
      assert.deepEqual(failures.waits, []);
    });

    it('111. asks again after a 404 that says nothing of a model', async () => {
      const nothing = refusal(404, 'Not Found');
      const result = await failures.turn('Hi', nothing, nothing, answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      assert.equal(failures.waits.length, 2);
    });

    it('112. waits as long as the server asks, at most ten minutes', async () => {
      const wait = (seconds: string) => refusal(503, 'busy', {}, { 'retry-after': seconds });
      await failures.turn('Hi', wait('2'), wait('9999'), answer('Hello.'));
      assert.deepEqual(failures.waits, [2_000, 600_000]);
    });

    it('112. takes zero and a past date for no wish', async () => {
      const wait = (when: string) => refusal(503, 'busy', {}, { 'retry-after': when });
      await failures.turn('Hi', wait('0'), wait('Wed, 01 Jan 2020 00:00:00 GMT'), answer('Hello.'));
      const [first = 0, second = 0] = failures.waits;
      assert.ok(first >= 2_000 && first <= 3_000, `${first}`);
      assert.ok(second >= 4_000 && second <= 6_000, `${second}`);
    });

    it('57. waits three times shortly and then longer and longer for an overload inside a stream', async () => {
      const overloaded = {
        steps: [{ error: { type: 'overloaded_error', message: 'Overloaded', code: 'overloaded_error' } }],
      };
      const all = Array.from({ length: 7 }, () => overloaded);
      const result = await failures.turn('Hi', ...all, answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      const least = [2, 4, 8, 15, 30, 60, 120].map((seconds) => seconds * 1000);
      assert.equal(failures.waits.length, least.length);
      for (const [index, wait] of failures.waits.entries()) {
        assert.ok(wait >= (least[index] ?? 0) && wait <= (least[index] ?? 0) * 1.5, `${index}: ${wait}`);
      }
    });

    it('13. names three of the calls that an error cut behind shown text, says that none ran and asks nothing twice', async () => {
      const calls = ['a', 'b', 'c', 'd'].map((name) => ({ call: { name, arguments: '{' } }));
      const error = { error: { type: 'invalid_request_error', message: 'temperature must be positive' } };
      const result = await failures.turn('Do', { steps: [{ text: 'I do' }, ...calls, error] }, answer(' it.'));
      assert.equal(result.finalText, 'I do it.');
      assert.deepEqual(failures.notices('dropped_calls'), [
        'The answer broke off while it was writing calls: a, b, c and 1 more. Nothing of it was run; the model goes on from there.',
      ]);
      assert.match(JSON.stringify(messages(failures.rig.server.requests[1]?.body)), /I do/);
      assert.ok(failures.session.rows().every((row) => row.role !== 'tool'));
    });

    it('119. stores nothing of a failed attempt, so that a long session does not grow by it', async () => {
      await failures.turn('Read', answer('word '.repeat(60_000)));
      const before = failures.session.rows().length;
      const result = await failures.turn('Hi', refusal(400, 'messages.3: a field is of the wrong type'));
      assert.equal(result.error?.kind, 'bad_request');
      assert.deepEqual(
        failures.session
          .rows()
          .slice(before)
          .map((row) => row.displayText),
        ['Hi'],
      );
    });
  });

  describe('another model', () => {
    beforeEach(() => {
      failures.routes.fallbacks = ['second/beta', 'third/gamma'];
    });

    it('111. goes on with the fallback at once when the model is not there', async () => {
      await failures.turn('Hi', refusal(404, 'The model `alpha` does not exist'), answer('Hello.'));
      assert.deepEqual(failures.asked(), ['key alpha', 'key beta']);
      assert.deepEqual(failures.waits, []);
    });

    it('114. asks one fallback after a refusal of the content, and never the same model again', async () => {
      const refused = refusal(400, 'Blocked by our content policy', { code: 'content_filter' });
      const result = await failures.turn('Hi', refused, refused, answer('never'));
      assert.deepEqual(failures.asked(), ['key alpha', 'key beta']);
      assert.equal(result.error?.kind, 'content_policy');
      assert.match(result.error?.message ?? '', /policy.*kept/);
    });

    it('114. takes back what was shown of a filtered answer before the fallback is asked', async () => {
      const filtered = { steps: [{ text: 'Some of it' }, { finish: 'content_filter' as const }] };
      const result = await failures.turn('Hi', filtered, answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      const [first, second] = failures.rig.server.requests;
      assert.deepEqual(messages(second?.body), messages(first?.body));
      assert.deepEqual(
        failures.session.rows().map((row) => row.displayText),
        ['Hi', 'Hello.'],
      );
    });

    it('49. asks one fallback after a refusal that is a whole answer without a word, and then explains it', async () => {
      const refused = { steps: [{ finish: 'content_filter' as const }] };
      const result = await failures.turn('Hi', refused, refused, answer('never'));
      assert.deepEqual(failures.asked(), ['key alpha', 'key beta']);
      assert.equal(result.error?.kind, 'content_policy');
      assert.deepEqual(
        failures.session.rows().map((row) => row.displayText),
        ['Hi'],
      );
    });

    it('118. tells of a change of the model once, and counts attempts anew', async () => {
      const broken = refusal(503, 'overloaded');
      const result = await failures.turn('Hi', broken, broken, broken, broken, answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      assert.deepEqual(failures.asked(), ['key alpha', 'key alpha', 'key beta', 'key beta', 'key gamma']);
      assert.deepEqual(failures.notices('model_switched'), [
        'alpha is overloaded; beta goes on.',
        'beta is overloaded; gamma goes on.',
      ]);
    });

    it('118. compacts for the window of the model that goes on', async () => {
      await failures.turn('Long', answer('word '.repeat(40_000), { input: 60_000, output: 10_000 }));
      failures.routes.models = { 'second/beta': { contextWindow: 40_000 } };
      const result = await failures.turn('Hi', refusal(402, 'No credit'), answer('SUMMARY'), answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      assert.deepEqual(failures.asked().slice(1), ['key alpha', 'key beta', 'key beta']);
      assert.match(JSON.stringify(failures.rig.server.requests.at(-1)?.body), /SUMMARY/);
    });

    it('118. begins the next turn with the chosen model again, unless that rests after it reached a limit', async () => {
      await failures.turn('One', refusal(404, 'The model `alpha` does not exist'), answer('a'));
      await failures.turn('Two', refusal(429, 'Slow down'), answer('b'));
      assert.deepEqual(failures.asked().slice(2), ['key alpha', 'key beta']);
      await failures.turn('Three', answer('c'));
      assert.deepEqual(failures.asked().slice(4), ['key beta']);
      assert.equal(failures.notices('model_switched').at(-1), 'alpha has reached its limit; beta goes on.');
      failures.pass(61_000);
      await failures.turn('Four', answer('d'));
      assert.deepEqual(failures.asked().slice(5), ['key alpha']);
    });

    it('118. asks a model that rests once the user has chosen it again', async () => {
      await failures.turn('One', refusal(402, 'No credit'), answer('a'));
      failures.models?.forget();
      await failures.turn('Two', answer('b'));
      assert.deepEqual(failures.asked().slice(2), ['key alpha']);
    });

    it('118. ends with the words of the last failure when no model is left', async () => {
      const result = await failures.turn(
        'Hi',
        refusal(404, 'The model does not exist'),
        refusal(404, 'The model does not exist'),
        refusal(404, 'The model does not exist'),
      );
      assert.deepEqual(failures.asked(), ['key alpha', 'key beta', 'key gamma']);
      assert.match(result.error?.message ?? '', /no model named gamma/);
    });

    it('118. asks no model of a provider whose key was refused', async () => {
      failures.routes.fallbacks = ['first/other', 'second/beta'];
      await failures.turn('Hi', refusal(401, 'Incorrect API key'), answer('Hello.'));
      assert.deepEqual(failures.asked(), ['key alpha', 'key beta']);
    });
  });

  describe('too long', () => {
    const long = () => failures.turn('Long', answer('word '.repeat(20_000), { input: 50_000, output: 10 }));

    it('121. takes over a window that the provider names, keeps it and compacts for it', async () => {
      await long();
      const words = "This model's maximum context length is 32768 tokens. Please reduce the length.";
      const result = await failures.turn('Hi', refusal(400, words), answer('SUMMARY'), answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      assert.deepEqual(failures.learned, [{ ref: CHOSEN, contextWindow: 32_768 }]);
    });

    it('121. keeps the known window when none is named', async () => {
      await long();
      await failures.turn('Hi', refusal(400, 'prompt is too long'), answer('SUMMARY'), answer('Hello.'));
      assert.deepEqual(failures.learned, []);
    });

    for (const [what, status] of [
      ['a refusal', 400],
      ['a relay’s 429', 429],
    ] as const) {
      it(`122. asks for less output after ${what} names the most, with the same history`, async () => {
        failures.routes.models = { [CHOSEN]: { maxOutput: 100_000 } };
        const words = 'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens';
        const result = await failures.turn('Hi', refusal(status, words), answer('Hello.'));
        assert.equal(result.finalText, 'Hello.');
        const [first, second] = failures.rig.server.requests;
        assert.deepEqual([outputOf(first?.body), outputOf(second?.body)], [100_000, 8192 - 64]);
        assert.deepEqual(messages(second?.body), messages(first?.body));
        assert.deepEqual(failures.learned, [{ ref: CHOSEN, maxOutput: 8128 }]);
        assert.deepEqual(failures.waits, []);
      });
    }

    it('122. gives up when the limit of the output is not named', async () => {
      const result = await failures.turn('Hi', refusal(400, 'max_tokens is too large'), answer('never'));
      assert.equal(result.error?.kind, 'output_cap');
      assert.equal(failures.asked().length, 1);
    });

    it('123. ends after one request when compaction is switched off, and says so', async () => {
      failures.rig.settings = { ...failures.rig.settings, compacts: false };
      await failures.turn('Long', answer('word '.repeat(20_000), { input: 95_000, output: 10 }));
      const result = await failures.turn('Hi', refusal(400, 'prompt is too long'), answer('never'));
      assert.equal(result.error?.kind, 'compaction_disabled');
      assert.equal(failures.asked().length, 2);
    });

    it('124. compacts nothing in a window that does not write the session, and ends no turn by that', async () => {
      const { rig, session } = failures;
      rig.server.script({ steps: [{ text: 'One' }, { pause: 'p' }] });
      session.send('Hi');
      await event(session, 'delta');
      const other = rig.secondWindow().agent.open(session.id);
      assert.equal(other.compact(), false);
      const receipt = other.send('Me too');
      assert.equal(receipt.outcome === 'refused' && receipt.reason, 'read_only');
      (await rig.server.request(0)).release('p');
      const result = await session.settled();
      assert.deepEqual([result.exitReason, result.attempts], ['answered', 1]);
      assert.equal(rig.server.requests.length, 1);
    });

    it('56. compacts for the common window when the plan has no long one, with the same key', async () => {
      failures.routes.keys = { first: ['A', 'B'] };
      failures.routes.models = { [CHOSEN]: { contextWindow: 1_000_000 } };
      await failures.turn('Long', answer('word '.repeat(200_000), { input: 300_000, output: 10 }));
      const words = 'Extra usage is required for long context requests';
      const result = await failures.turn('Hi', refusal(429, words), answer('SUMMARY'), answer('Hello.'));
      assert.equal(result.finalText, 'Hello.');
      assert.deepEqual(failures.asked(), ['A alpha', 'A alpha', 'A alpha', 'A alpha']);
    });
  });
});

function messages(body: unknown): unknown {
  return (body as { messages?: unknown }).messages;
}

function outputOf(body: unknown): unknown {
  const { max_tokens, max_completion_tokens } = body as { max_tokens?: number; max_completion_tokens?: number };
  return max_completion_tokens ?? max_tokens;
}

describe('a failure of which only words are left', () => {
  const endpoint = { host: 'VS Code', model: 'm', hasKey: false, secrets: [] };
  const WORDS: readonly (readonly [words: string, kind: string, window?: number])[] = [
    ['prompt token count of 132567 exceeds the limit of 128000', 'context_overflow', 128_000],
    ['prompt is too long: 210,000 tokens > 200,000 maximum', 'context_overflow', 200_000],
    ['Message exceeds token limit.', 'context_overflow'],
    [
      'Request Failed: 400 {"error":{"message":"prompt token count of 132567 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}',
      'context_overflow',
      128_000,
    ],
    ['Request Failed: 400 {"error":{"message":"Invalid schema for function x"}}', 'bad_request'],
    ['Request Failed: 413 Request Entity Too Large', 'payload_too_large'],
    ['Request failed with status code 429: too many requests', 'rate_limit'],
    ['Server error: 503', 'overloaded'],
    ['something broke', 'server'],
  ];
  for (const [words, kind, window] of WORDS) {
    it(`H2c. is judged as the server’s own: ${words}`, () => {
      const error = classify(failureOfWords(words), endpoint);
      assert.equal(error.kind, kind);
      assert.equal(error.contextWindow, window);
    });
  }
});
