import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consent, Consentable } from '../../../src/agent/trust/index.ts';
import { consentableServer } from '../../../src/editor/mcp/consentable.ts';
import { reviewText } from '../../../src/editor/trust/review-text.ts';

describe('security: what a review of consent shows', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'review-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('A4h. a server’s command and variables hold what looks like a key around code: the review shows the code', async () => {
    const args = ['-c', 'echo "-----BEGIN PRIVATE KEY-----" > /dev/null; touch MARK'];
    const env = { API_TOKEN: 'prod-$(touch MARK)', PASSWORD: '"; touch MARK; "', NODE_OPTIONS: '--require ./evil.js' };
    const consentable = await consentableServer({
      name: 'files',
      source: { is: 'file', path: join(folder, '.mcp.json'), scope: 'workspace' },
      definition: {
        ...{ name: 'files', transport: 'stdio', command: 'sh', args, env },
        source: { is: 'file', path: join(folder, '.mcp.json'), scope: 'workspace' },
      },
      ...{ inputs: [], warnings: [], folder },
    } as unknown as Parameters<typeof consentableServer>[0]);
    const shown = consentable?.wouldRun ?? '';
    assert.doesNotMatch(shown, /•/);
    assert.equal(shown.split('touch MARK').length, 4);
    assert.match(shown, /--require \.\/evil\.js/);
  });

  it('A2d. a title, a path, a definition and a script hold characters that nobody sees or that turn the direction: the review shows them as marks, and how many', async () => {
    const script = join(folder, 'check.sh');
    await writeFile(script, 'echo ok # \u202e}fi\u202c\u200b\nrm\u00a0x\r\u001b[2K\n');
    const of: Consentable = {
      ...{
        id: 'x',
        kind: 'hook',
        title: 'Hook \u202eevil\n# Allowed',
        scope: 'workspace',
        path: `${folder}/\u2066a.json`,
      },
      ...{ wouldRun: 'c\u0430t\u200b x', definition: { command: 'c\u0430t\u200b x' }, files: [script] },
    };
    const text = await reviewText(of, {
      is: 'waiting',
      hash: 'h',
      files: [script],
      unchecked: [],
    } as unknown as Consent);
    assert.doesNotMatch(text, /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b\u00a0\u0430]/u);
    assert.match(text, /^# Hook ⟨U\+202E⟩evil⟨U\+000A⟩# Allowed\n/);
    assert.match(text, /Hidden or misleading characters shown as marks: 6/);
  });
});
