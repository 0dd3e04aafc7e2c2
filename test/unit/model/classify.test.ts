import assert from 'node:assert/strict';
import { classify, type Failure } from '../../../src/agent/model/index.ts';
import type { ModelErrorKind } from '../../../src/agent/model/types.ts';

const endpoint = { host: 'api.test', model: 'm-1', hasKey: true, secrets: ['my-own-secret'] };
const NOW = Date.parse('2026-01-01T00:00:00Z');

function status(status: number, body: unknown, headers: Record<string, string> = {}): Failure {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { at: 'status', status, headers: new Headers(headers), body: text };
}

const error = (message: string, rest: object = {}) => ({ error: { message, ...rest } });
const thrown = (cause: unknown, afterHead = false): Failure => ({
  at: 'thrown',
  error: new TypeError('fetch failed', { cause }),
  afterHead,
});
const coded = (code: string) => Object.assign(new Error(code), { code });

const table: [string, Failure, ModelErrorKind, boolean][] = [
  ['a wrong key', status(401, error('Incorrect API key provided')), 'auth', false],
  ['a key without the right', status(403, error('not allowed', { type: 'permission_error' })), 'auth', false],
  [
    'a wrong key that Gemini reports as 400',
    status(400, error('API key not valid. Please pass a valid one.')),
    'auth',
    false,
  ],
  ['no credit, 402', status(402, error('Payment required')), 'billing', false],
  [
    'no credit, 429',
    status(429, error('You exceeded your current quota', { code: 'insufficient_quota' })),
    'billing',
    false,
  ],
  ['no credit, 400', status(400, error('Your credit balance is too low to access the API')), 'billing', false],
  ['a rate limit', status(429, error('Rate limit reached')), 'rate_limit', true],
  ['an overload, 529', status(529, error('Overloaded', { type: 'overloaded_error' })), 'overloaded', true],
  ['an overload, 503', status(503, '<html>unavailable</html>'), 'overloaded', true],
  ['an overload that is reported as 429', status(429, error('The model is overloaded')), 'overloaded', true],
  ['a server failure', status(500, error('The server had an error')), 'server', true],
  ['a gateway failure', status(502, '<html>Bad gateway</html>'), 'server', true],
  ['a 500 about a parameter', status(500, error('Unknown parameter: foo')), 'bad_request', false],
  [
    'a model that is not there, 404',
    status(404, error('The model `x` does not exist', { code: 'model_not_found' })),
    'model_not_found',
    false,
  ],
  [
    'a model that Ollama has not pulled',
    status(404, error('model "x" not found, try pulling it first')),
    'model_not_found',
    false,
  ],
  [
    'a model that Anthropic does not know',
    status(404, error('model: claude-x', { type: 'not_found_error' })),
    'model_not_found',
    false,
  ],
  ['a model that is not there, 400', status(400, error('x is not a valid model ID')), 'model_not_found', false],
  ['a page that is not there', status(404, '<!doctype html><html>Not found</html>'), 'not_json', false],
  ['an address that is not there', status(404, { detail: 'Not Found' }), 'bad_request', false],
  ['a redirect', status(302, 'Redirected to https://login.test'), 'not_json', false],
  ['too long, 400', status(400, error('x', { code: 'context_length_exceeded' })), 'context_overflow', false],
  [
    'too long in words',
    status(400, error('prompt is too long: 210000 tokens > 200000 maximum')),
    'context_overflow',
    false,
  ],
  ['too large, 413', status(413, error('Request too large')), 'context_overflow', false],
  [
    'an unsupported max_tokens',
    status(400, error("Unsupported parameter: 'max_tokens' is not supported with this model. maximum context")),
    'bad_request',
    false,
  ],
  ['a refusal of the content', status(400, error('x', { code: 'content_filter' })), 'content_policy', false],
  ['a refusal of the content as 500', status(500, error('Blocked by our usage policies')), 'content_policy', false],
  ['any other 400', status(400, error('messages: at least one')), 'bad_request', false],
  ['a web page', { at: 'body', status: 200, contentType: 'text/html', body: '<html>' }, 'not_json', false],
  [
    'an overload in the stream',
    { at: 'frame', body: { type: 'error', error: { type: 'overloaded_error' } } },
    'overloaded',
    true,
  ],
  ['a limit in the stream by number', { at: 'frame', body: error('slow down', { code: 429 }) }, 'rate_limit', true],
  ['a failure in the stream by number text', { at: 'frame', body: error('no', { code: '502' }) }, 'server', true],
  ['an unknown failure in the stream', { at: 'frame', body: 'something' }, 'server', true],
  [
    'a failure of an upstream in its raw words',
    {
      at: 'frame',
      body: error('Provider returned error', { code: 400, metadata: { raw: 'context_length_exceeded' } }),
    },
    'context_overflow',
    false,
  ],
  ['a cut stream', { at: 'cut', why: 'x' }, 'stream_cut', true],
  ['a refused connection', thrown(coded('ECONNREFUSED')), 'network', false],
  [
    'a refused connection on each address',
    thrown(new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])),
    'network',
    false,
  ],
  ['an unknown name', thrown(coded('ENOTFOUND')), 'network', false],
  ['a name that cannot be asked for now', thrown(coded('EAI_AGAIN')), 'network', true],
  ['a reset connection', thrown(coded('ECONNRESET')), 'network', true],
  ['an untrusted certificate', thrown(coded('DEPTH_ZERO_SELF_SIGNED_CERT')), 'network', false],
  ['a server without TLS', thrown(coded('ERR_SSL_WRONG_VERSION_NUMBER')), 'network', false],
  ['a connection that takes too long', thrown(coded('UND_ERR_CONNECT_TIMEOUT')), 'timeout', true],
  ['silence before the head', thrown(coded('UND_ERR_HEADERS_TIMEOUT')), 'timeout', true],
  ['silence inside the answer', thrown(coded('UND_ERR_BODY_TIMEOUT'), true), 'timeout', true],
  ['a socket that broke inside the answer', thrown(coded('UND_ERR_SOCKET'), true), 'stream_cut', true],
  [
    'a status along the causes',
    { at: 'thrown', error: new Error('x', { cause: { status: 429 } }), afterHead: false },
    'rate_limit',
    true,
  ],
  ['anything else', { at: 'thrown', error: 'odd', afterHead: false }, 'unknown', true],
];

describe('the classification of failures', () => {
  for (const [what, failure, kind, retryable] of table) {
    it(`calls ${what} ${kind}`, () => {
      const judged = classify(failure, endpoint, NOW);
      assert.equal(judged.kind, kind);
      assert.equal(judged.retryable, retryable);
    });
  }

  it('tells people what happened, what it means for their work and what to do', () => {
    for (const [, failure] of table) {
      const { message, action } = classify(failure, endpoint, NOW);
      assert.match(message, /^(api\.test|There is|The) .*[.”]/);
      assert.match(message, /kept|Nothing is lost/);
      assert.match(action ?? '', /^midcourse\.[a-zA-Z]+$/);
      assert.doesNotMatch(message, /!|undefined/);
    }
  });

  it('asks for a key where none is set', () => {
    const { message } = classify(status(401, ''), { ...endpoint, hasKey: false }, NOW);
    assert.match(message, /wants an API key/);
  });

  it('keeps secrets out of the message and the detail', () => {
    const body = error('bad key my-own-secret, or sk-abcdefgh12345678 in Authorization: Bearer abcdefghijkl');
    const judged = classify(status(400, body), endpoint, NOW);
    assert.doesNotMatch(JSON.stringify(judged), /my-own-secret|sk-abcdefgh|abcdefghijkl/);
    assert.match(judged.detail, /\[secret\]/);
  });

  it('keeps the provider’s request id for the log', () => {
    assert.match(classify(status(500, '', { 'request-id': 'req_7' }), endpoint, NOW).detail, /req_7/);
  });

  it('bounds what it keeps of a body', () => {
    const judged = classify(status(400, 'x'.repeat(50_000)), endpoint, NOW);
    assert.ok(judged.detail.length < 2_100);
    assert.ok(judged.message.length < 700);
  });

  const waits: [string, Record<string, string>, unknown, number | undefined][] = [
    ['seconds', { 'retry-after': '2' }, '', 2_000],
    ['a fraction of a second', { 'retry-after': '0.5' }, '', 500],
    ['milliseconds', { 'retry-after-ms': '1500' }, '', 1_500],
    ['milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, '', 1_500],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, '', 30_000],
    ['a date that is past', { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, '', undefined],
    ['zero', { 'retry-after': '0' }, '', undefined],
    ['more than ten minutes', { 'retry-after': '9999' }, '', 600_000],
    ['nonsense', { 'retry-after': 'soon' }, '', undefined],
    ['a field of the body', {}, { retry_after: 3 }, 3_000],
    ['a field of the error', {}, error('x', { retry_after: '4' }), 4_000],
    ['words', {}, error('Rate limit reached. Please try again in 1.5s.'), 1_500],
    ['words in milliseconds', {}, error('Please try again in 320ms.'), 320],
    ['nothing', {}, '', undefined],
  ];
  for (const [what, headers, body, expected] of waits) {
    it(`reads a wait that is said as ${what}`, () => {
      assert.equal(classify(status(429, body, headers), endpoint, NOW).retryAfterMs, expected);
    });
  }
});
