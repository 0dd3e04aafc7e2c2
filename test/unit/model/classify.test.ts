import assert from 'node:assert/strict';
import { classify } from '../../../src/agent/model/failures/classify.ts';
import type { Failure } from '../../../src/agent/model/failures/failure.ts';
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
  ['an address that is not there', status(404, { detail: 'Not Found' }), 'unknown', true],
  ['a redirect', status(302, 'Redirected to https://login.test'), 'not_json', false],
  ['too long, 400', status(400, error('x', { code: 'context_length_exceeded' })), 'context_overflow', false],
  [
    'too long in words',
    status(400, error('prompt is too long: 210000 tokens > 200000 maximum')),
    'context_overflow',
    false,
  ],
  ['too large in bytes, 413', status(413, error('Request too large')), 'payload_too_large', false],
  [
    'too large in bytes, without a status',
    { at: 'frame', body: error('request entity too large') },
    'payload_too_large',
    false,
  ],
  [
    'too many tokens, 413',
    status(413, error('prompt is too long: 300000 tokens > 200000 maximum')),
    'context_overflow',
    false,
  ],
  [
    'a member’s spending limit',
    status(403, error('Key limit exceeded (monthly limit). Manage it in your settings')),
    'billing',
    false,
  ],
  ['a spending limit, 400', status(400, error('You have reached your specified API usage limits.')), 'billing', false],
  [
    'no credit that ends by itself, 402',
    status(402, error('Usage limit reached. Please try again in 40 minutes')),
    'rate_limit',
    true,
  ],
  [
    'a quota that ends by itself, 429',
    status(429, error('You exceeded your current quota. Please retry in 20s')),
    'rate_limit',
    true,
  ],
  [
    'a quota that a subscription has used up',
    status(429, error('x', { type: 'usage_limit_reached' })),
    'rate_limit',
    true,
  ],
  [
    'a limit of the router’s own account',
    status(
      429,
      error('Provider returned error', {
        code: 429,
        metadata: { raw: 'x is temporarily rate-limited upstream. Please retry shortly' },
      }),
    ),
    'overloaded',
    true,
  ],
  [
    'a long window that the plan lacks',
    status(429, error('Extra usage is required for long context requests')),
    'long_context_tier',
    false,
  ],
  [
    'an answer that is too long',
    status(400, error('max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens')),
    'output_cap',
    false,
  ],
  [
    'an answer that is too long, of a relay',
    status(429, error('upstream: max_tokens is too large: 99999. This model supports at most 4096 completion tokens')),
    'output_cap',
    false,
  ],
  [
    'an answer that leaves the prompt no room',
    status(400, error('input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000')),
    'output_cap',
    false,
  ],
  [
    'a prompt that leaves an answer no room',
    status(400, error('input length and `max_tokens` exceed context limit: 199900 + 16000 > 200000')),
    'context_overflow',
    false,
  ],
  [
    'an image that is too large',
    status(400, error('messages.0.content.1.image.source.base64: image exceeds 5 MB maximum')),
    'image_rejected',
    false,
  ],
  [
    'a model that sees no images',
    status(404, error('No endpoints found that support image input')),
    'image_rejected',
    false,
  ],
  [
    'a field for images that is not known',
    status(400, error('unsupported field: image_url is not supported by this model')),
    'image_rejected',
    false,
  ],
  [
    'an image in a tool’s result',
    status(400, error('multimodal tool content is not supported')),
    'image_rejected',
    false,
  ],
  [
    'a router that may use no provider',
    status(404, error('No endpoints found matching your data policy')),
    'provider_policy',
    false,
  ],
  [
    'a model that the project may not use',
    status(403, error('Project does not have access to model `x`', { code: 'model_not_found' })),
    'model_not_found',
    false,
  ],
  [
    'a subscription without this model',
    status(400, error('A Premium subscription is required to use this model')),
    'auth',
    false,
  ],
  ['a broken TLS record', thrown(coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')), 'network', true],
  [
    'a limit that an SDK names only by its error',
    { at: 'thrown', error: Object.assign(new Error('slow down'), { name: 'RateLimitError' }), afterHead: false },
    'rate_limit',
    true,
  ],
  [
    'an AWS status',
    { at: 'thrown', error: Object.assign(new Error('x'), { $metadata: { httpStatusCode: 529 } }), afterHead: false },
    'overloaded',
    true,
  ],
  [
    'an error inside the message of an error',
    status(500, error(`upstream said {"error":{"message":"no","code":"context_length_exceeded"}}`)),
    'context_overflow',
    false,
  ],
  [
    'a list with one error',
    status(400, [{ error: { code: 400, message: 'API key not valid. Please pass a valid one.' } }]),
    'auth',
    false,
  ],
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
  [
    'a subscription that an error in the stream asks for',
    { at: 'frame', body: error('A SuperGrok subscription is required') },
    'auth',
    false,
  ],
  [
    'a model that always thinks',
    status(400, error('Reasoning is mandatory for this endpoint and cannot be disabled.')),
    'reasoning_mandatory',
    false,
  ],
  [
    'a time-out that an SDK names',
    { at: 'thrown', error: Object.assign(new Error('x'), { name: 'TimeoutError' }), afterHead: false },
    'timeout',
    true,
  ],
  ['a time-out in words', { at: 'thrown', error: new Error('Request timed out.'), afterHead: false }, 'timeout', true],
  [
    'a connection that an SDK names',
    { at: 'thrown', error: Object.assign(new Error('x'), { name: 'APIConnectionError' }), afterHead: false },
    'network',
    true,
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

  it('names the code of the provider, also one that is wrapped in another error', () => {
    const code = (failure: Failure) => classify(failure, endpoint, NOW).code;
    assert.equal(code(status(529, error('x', { type: 'overloaded_error' }))), 'overloaded_error');
    assert.equal(
      code(status(429, error('x', { type: 'requests', code: 'rate_limit_exceeded' }))),
      'rate_limit_exceeded',
    );
    const raw = JSON.stringify({ error: { code: '1305', message: 'busy' } });
    assert.equal(code(status(429, error('Provider returned error', { code: 429, metadata: { raw } }))), '1305');
  });

  it('tells a spending limit from an empty account', () => {
    assert.match(classify(status(403, error('Key limit exceeded')), endpoint, NOW).message, /spending limit/);
    assert.match(classify(status(402, error('Insufficient credits')), endpoint, NOW).message, /lack of credit/);
  });

  const limits: [string, string, { contextWindow?: number; outputLimit?: number }][] = [
    [
      'OpenAI’s window',
      "This model's maximum context length is 131072 tokens. Please reduce the length",
      { contextWindow: 131072 },
    ],
    ['Anthropic’s window', 'prompt is too long: 210000 tokens > 200000 maximum', { contextWindow: 200000 }],
    [
      'Gemini’s window',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      { contextWindow: 1048576 },
    ],
    [
      'llama.cpp’s window',
      'the request exceeds the available context size (4096 tokens), try increasing it',
      { contextWindow: 4096 },
    ],
    ['a window with separators', 'maximum context length of 131,072 tokens', { contextWindow: 131072 }],
    [
      'a window and what the conversation takes of it',
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).",
      { contextWindow: 8192, outputLimit: 3192 },
    ],
    [
      'vLLM’s window and room',
      "'max_tokens' is too large: 4000. This model's maximum context length is 8192 tokens and your request has 5000 input tokens (4000 > 8192 - 5000).",
      { contextWindow: 8192, outputLimit: 3192 },
    ],
    [
      'Anthropic’s most output',
      'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude',
      { outputLimit: 8192 },
    ],
    [
      'OpenAI’s most output',
      'max_tokens is too large: 100000. This model supports at most 4096 completion tokens',
      { outputLimit: 4096 },
    ],
    [
      'DeepSeek’s most output',
      'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
      { outputLimit: 8192 },
    ],
    ['no number', 'prompt is too long', {}],
    ['a number that is no window', 'maximum context is exceeded by 12 tokens', {}],
  ];
  for (const [what, words, quoted] of limits) {
    it(`reads ${what} from a refusal`, () => {
      const { contextWindow, outputLimit } = classify(status(400, error(words)), endpoint, NOW);
      assert.deepEqual({ contextWindow, outputLimit }, { contextWindow: undefined, outputLimit: undefined, ...quoted });
    });
  }

  it('doubts a local server that says too long and names no limit', () => {
    const said = (message: string, host = '127.0.0.1:11434') =>
      classify(status(400, error(message)), { ...endpoint, host }, NOW);
    assert.deepEqual(
      [said('exceeds the available context').vague, said('exceeds the available context').retryable],
      [true, true],
    );
    assert.equal(said('exceeds the available context size (4096 tokens)').vague, undefined);
    assert.equal(said('exceeds the available context', 'api.test').vague, undefined);
  });

  it('marks what gives no reason, and nothing else', () => {
    const vague = (failure: Failure) => classify(failure, endpoint, NOW).vague === true;
    for (const failure of [
      status(400, ''),
      status(400, error('Error')),
      status(400, error('Provider returned error')),
      status(502, '<html>Bad gateway</html>'),
      status(524, '<!doctype html>'),
      thrown(coded('ECONNRESET')),
      thrown(coded('UND_ERR_SOCKET')),
    ]) {
      assert.ok(vague(failure), JSON.stringify(failure));
    }
    for (const failure of [
      status(400, error('messages: at least one message is required')),
      status(400, error('Unsupported parameter')),
      status(401, ''),
      status(500, error('The server had an error')),
      thrown(coded('ECONNREFUSED')),
      thrown(coded('EAI_AGAIN')),
      thrown(coded('UND_ERR_HEADERS_TIMEOUT')),
      { at: 'cut', why: 'x' } as const,
    ]) {
      assert.ok(!vague(failure), JSON.stringify(failure));
    }
  });

  it('keeps four links of a chain of causes, each of 140 characters', () => {
    let cause: Error | undefined;
    for (const name of ['e', 'd', 'c', 'b', 'a']) cause = new Error(name.repeat(300), { cause });
    const { detail } = classify({ at: 'thrown', error: cause, afterHead: false }, endpoint, NOW);
    const links = detail.split(' ← ');
    assert.deepEqual(
      links.map((link) => [link.length, link.at(-1)]),
      [
        [140, 'a'],
        [140, 'b'],
        [140, 'c'],
        [140, 'd'],
      ],
    );
  });

  it('tells people what happened, what it means for their work and what to do', () => {
    for (const [, failure] of table) {
      const { message, action } = classify(failure, endpoint, NOW);
      assert.match(message, /^(api\.test|m-1|There is|The) .*[.”]/);
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

  it('leaves out a code that is a secret', () => {
    const judged = classify(status(400, error('no', { code: 'my-own-secret' })), endpoint, NOW);
    assert.doesNotMatch(JSON.stringify(judged), /my-own-secret/);
    assert.equal(judged.code, undefined);
  });

  it('keeps the provider’s request id for the log', () => {
    assert.match(classify(status(500, '', { 'request-id': 'req_7' }), endpoint, NOW).detail, /req_7/);
  });

  it('finds the words of an error inside errors', () => {
    const wrapped = { error: { error: { error: { message: 'Incorrect API key provided' } } } };
    assert.equal(classify(status(401, wrapped), endpoint, NOW).detail, 'HTTP 401: Incorrect API key provided');
  });

  it('judges what is nested too deep to be written again', () => {
    const body = JSON.parse(`{"error":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    assert.equal(classify({ at: 'frame', body }, endpoint, NOW).kind, 'server');
  });

  it('says that the name of a header is none', () => {
    const judged = classify(thrown(coded('ERR_INVALID_HTTP_TOKEN')), endpoint, NOW);
    assert.match(judged.message, /headers of its settings/);
    assert.equal(judged.retryable, false);
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
