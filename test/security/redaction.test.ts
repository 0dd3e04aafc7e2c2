import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Run, RunEnding } from '../../src/agent/hooks/run.ts';
import { hookRun } from '../../src/agent/hooks/run-log.ts';
import { bodyOf, headersOf } from '../../src/agent/hooks/webhooks/body.ts';
import { redact } from '../../src/agent/model/redact.ts';
import { MaskedStream, maskSecrets, secretsInUse } from '../../src/agent/safety/index.ts';
import { SecretsInUse } from '../../src/agent/safety/secrets-in-use.ts';
import { exportJson, exportMarkdown, openStore } from '../../src/agent/session/index.ts';
import { answer, row, session, temporaryFolder, toolResult } from '../unit/session/builders.ts';

const SECRET = 'Zq8Rt2Lm5Vx9Bn3Kd7Wp';
const TOKEN = `ghp_${SECRET}${SECRET}`;
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA${SECRET}\n${SECRET}==\n-----END RSA PRIVATE KEY-----`;

/** A token stands in a file or in output; the person sends a log, an export or a webhook to somebody. */
describe('secrets in what leaves', function () {
  this.timeout(20_000);

  const folder = temporaryFolder();
  afterEach(() => secretsInUse.clear());

  const hides = (text: string, secret = SECRET) => {
    const masked = maskSecrets(text);
    assert.ok(!masked.includes(secret), masked);
    return masked;
  };

  it('C3. known key formats are masked, alone and inside a text', () => {
    const tail = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0';
    for (const prefix of [
      ...[
        'sk-',
        'sk-ant-api03-',
        'sk-proj-',
        'ghp_',
        'gho_',
        'ghu_',
        'ghs_',
        'ghr_',
        'github_pat_',
        'xoxb-',
        'xoxp-',
        'xapp-',
      ],
      ...[
        'AIza',
        'pplx-',
        'fal_',
        'fc-',
        'bb_live_',
        'gAAAA',
        'sk_live_',
        'sk_test_',
        'rk_live_',
        'SG.',
        'hf_',
        'r8_',
        'npm_',
      ],
      ...[
        'pypi-',
        'dop_v1_',
        'doo_v1_',
        'tvly-',
        'exa_',
        'gsk_',
        'syt_',
        'xai-',
        'ntn_',
        'fw_',
        'glpat-',
        'glrt-',
        'pk-lf-',
        'sk-lf-',
      ],
    ]) {
      for (const text of [
        `${prefix}${tail}`,
        `found ${prefix}${tail}, and`,
        `"${prefix}${tail}"`,
        `x=${prefix}${tail};`,
      ]) {
        assert.ok(!maskSecrets(text).includes(tail.slice(8, -8)), text);
      }
    }
    hides('AKIAABCDEFGHIJKLMNOP', 'ABCDEFGHIJKL');
    hides(`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${SECRET}`, 'eyJzdWIiOiIxMjM0NTY3ODkwIn0');
    hides(`0123456789abcdef0123456789abcdef.${SECRET}`);
  });

  it('C3a. values are masked by their names, in every common form', () => {
    for (const text of [
      `GH_TOKEN=${SECRET}`,
      `DATABASE_PASSWORD=${SECRET}\nUSER=me`,
      `export API_KEY='${SECRET}'`,
      `$env:API_KEY="${SECRET}"`,
      `{"apiKey": "${SECRET}", "b": 1}`,
      JSON.stringify(JSON.stringify({ access_token: SECRET })),
      `password: ${SECRET}`,
      `client_secret = "${SECRET}"`,
      `<password>${SECRET}</password>`,
      `Authorization: Bearer ${SECRET}`,
      `curl -H 'X-Api-Key: ${SECRET}'`,
      `https://h/x?a=1&access_token=${SECRET}&b=2`,
      `user=me&password=${SECRET}&x=1`,
      `login --password ${SECRET}`,
      `AWS_SECRET_ACCESS_KEY=${SECRET}/+${SECRET}`,
      `//registry.npmjs.org/:_authToken=${SECRET}`,
      `REDIS_AUTH=${SECRET}`,
      `Cookie: sid=${SECRET}`,
    ]) {
      hides(text);
    }
    assert.equal(maskSecrets('postgres://u:p4ss@h/db'), 'postgres://u:•••@h/db');
    assert.equal(maskSecrets('postgres://u:p@ss@h/db'), 'postgres://u:•••@h/db');
    assert.equal(maskSecrets('redis://:hunter22@h:6379'), 'redis://:•••@h:6379');
  });

  it('C3b. of a private key the body is masked and its lines stay; a public key stays whole', () => {
    assert.equal(
      maskSecrets(`a\n${PEM}\nb`),
      'a\n-----BEGIN RSA PRIVATE KEY-----\n•••\n-----END RSA PRIVATE KEY-----\nb',
    );
    hides(JSON.stringify({ key: PEM }));
    hides(PEM.slice(0, 60), SECRET.slice(0, 12));
    const open = '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----';
    assert.equal(maskSecrets(open), open);
    const mention = 'echo "-----BEGIN PRIVATE KEY-----" > /dev/null; touch MARK; npm --version';
    assert.equal(maskSecrets(mention), mention);
  });

  it('C3c. what is no secret stays as it is', () => {
    for (const text of [
      'key = process.env.OPENAI_API_KEY',
      'MAX_TOKENS=4096',
      'AUTH_HOST=x',
      'CREDENTIAL_PATH=/a/b/c1',
      `Authorization: Bearer $\{API_KEY}`,
      'Authorization: Bearer $TOKEN',
      'sk_bulk and sk-circle-container-wrapper-inner',
      '***bold*** and src/***',
      'monkey=banana1 author: Somebody Else1 keyboard: qwerty12',
      'const token = getToken(); password: string; apiKey = config.apiKey',
      `token: $\{{ secrets.X }} TOKEN=<your-key> PASSWORD=changeme`,
      'primaryKey: userId123 input_tokens: 123456',
      'tests pass: 12, token expiration date',
      'd41d8cd98f00b204e9800998ecf8427e 0b6b0b1e-3b1e-4b1e-8b1e-0b6b0b1e3b1e',
    ]) {
      assert.equal(maskSecrets(text), text);
    }
  });

  it('C3d. a token that colours or unseen characters split is found, and the rest of the text stays', () => {
    const token = `sk-abcdef${SECRET}`;
    for (const split of ['\x1b[31m', '\u200b', '\x1b]8;;x\x07', '\u202e', '\0', '\u2060']) {
      const masked = maskSecrets(`before ${split}${token.slice(0, 12)}${split}${token.slice(12)} after`);
      assert.ok(!masked.includes(SECRET.slice(8)), JSON.stringify(masked));
      assert.ok(masked.startsWith(`before ${split}`) && masked.endsWith(' after'), JSON.stringify(masked));
    }
  });

  it('C3e. the values that are in use are masked whatever they look like, and words never are', () => {
    secretsInUse.add('correct horse battery staple');
    secretsInUse.add('plain"quoted value/9');
    assert.equal(maskSecrets('say correct horse battery staple now'), 'say correc•••aple now');
    hides(`x=${encodeURIComponent('plain"quoted value/9')}`, 'quoted');
    hides(JSON.stringify({ x: 'plain"quoted value/9' }), 'quoted');
    hides(Buffer.from('correct horse battery staple').toString('base64'), 'aG9yc2Ug');
    const registry = new SecretsInUse();
    for (const word of ['abc', 'short12', 'developer', 'PRODUCTION', 'Staging', '', undefined]) registry.add(word);
    assert.deepEqual(registry.forms(), []);
    for (let at = 0; at < 100; at++) registry.add(`value-number-${at}-${SECRET}`);
    assert.equal(registry.forms().filter((form) => form.startsWith('value-')).length, 64);
    assert.ok(registry.forms().every((form, at, all) => at === 0 || form.length <= (all[at - 1]?.length ?? 0)));
  });

  it('C3f. masking takes time in proportion to the text', () => {
    const parts = [
      'a_',
      'key=',
      'token:',
      '"',
      '\\',
      '-----BEGIN PRIVATE KEY-----',
      'a://b:',
      'bearer ',
      ' ',
      '\x1b[',
      '\u200b',
      'sk-',
      'eyJ',
    ];
    for (const part of [...parts, 'token="', 'A: b ', '\ncookie: ', 'authorization: ', '<a.b>x', 'a.', '--a ', '/:@']) {
      const text = part.repeat(Math.ceil(320_000 / part.length));
      maskSecrets(text);
      const from = performance.now();
      maskSecrets(text);
      const took = performance.now() - from;
      assert.ok(took < 1_500, `${JSON.stringify(part)}: ${took} ms`);
    }
  });

  it('C3g. a secret that comes in pieces is masked at every seam', () => {
    const text = `one\nTOKEN=${SECRET} end\n${PEM}\nlast ghp_${SECRET}${SECRET}`;
    for (let size = 1; size < 40; size++) {
      const stream = new MaskedStream();
      let shown = '';
      for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
      shown += stream.end();
      assert.equal(shown, maskSecrets(text), `pieces of ${size}`);
    }
    const endless = new MaskedStream();
    assert.ok(endless.push('a b '.repeat(50_000)).length > 100_000);
  });

  it('C3h. an export holds no secret, in both formats, and stays readable', () => {
    const { store } = openStore(folder.path);
    try {
      const input = { path: 'a.ts', env: { API_KEY: SECRET }, command: `curl -H "Authorization: Bearer ${SECRET}"` };
      const run = answer(2, `I use ${TOKEN}.`, {
        parts: [
          { type: 'text', text: `I use ${TOKEN}.` },
          { type: 'tool_call', callId: 'call-t', name: TOKEN, input },
        ],
      });
      store.create(session('s', { title: `Key ${TOKEN}` }));
      store.commit({ sessionId: 's', rows: [row(1, `TOKEN=${SECRET}`), run, toolResult(3, 't'), row(4, PEM)] });
      const json = exportJson(store, 's') ?? '';
      const markdown = exportMarkdown(store, 's') ?? '';
      for (const text of [json, markdown]) assert.ok(!text.includes(SECRET), text);
      const exported = JSON.parse(json);
      assert.equal(exported.rows.length, 4);
      assert.equal(exported.rows[1].parts[1].input.path, 'a.ts');
      assert.equal(store.rows('s')[0]?.displayText, `TOKEN=${SECRET}`);
    } finally {
      store.close();
    }
  });

  it('C3i. a webhook is sent no secret, and its signature is that of what is sent', () => {
    const payload = {
      session_id: 's',
      cwd: '/w',
      tool_name: 'terminal',
      tool_input: { command: 'x', env: { API_KEY: SECRET } },
      result: `TOKEN=${SECRET}`,
    };
    const delivery = { id: 'd', at: 0, event: 'post_tool_call', payload } as unknown as Parameters<typeof bodyOf>[0];
    const body = bodyOf(delivery);
    assert.ok(!body.toString().includes(SECRET), body.toString());
    assert.equal(JSON.parse(body.toString()).tool_input.command, 'x');
    const signature = createHmac('sha256', 'k').update(body).digest('hex');
    assert.equal(headersOf(delivery, body, 'k')['x-midcourse-signature-256'], `sha256=${signature}`);
    assert.equal(payload.tool_input.env.API_KEY, SECRET);
  });

  it('C3j. recorded runs of hooks and the words of a provider hold no secret', () => {
    const run = { hook: { id: 'h', event: 'pre_tool_call' }, startedAt: 0 } as unknown as Run;
    const cut = `${'x'.repeat(9_990)} TOKEN=${SECRET}`;
    const reply = {
      answer: {},
      stdin: `{"tool_input":{"token":"${SECRET}"}}`,
      stdout: cut,
      stderr: `password: ${SECRET}`,
    };
    const kept = JSON.stringify(hookRun(run, { is: 'ok', reply } as unknown as RunEnding, 1));
    assert.ok(!kept.includes(SECRET.slice(0, 8)), kept);
    assert.ok(!redact(`Incorrect API key provided: ghp_${SECRET}${SECRET}. password: ${SECRET}`, []).includes(SECRET));
  });
});
