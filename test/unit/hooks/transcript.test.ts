import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { TranscriptFiles } from '../../../src/agent/hooks/transcript/index.ts';
import type { TranscriptRow } from '../../../src/api.ts';

let folder: string;
let rows: TranscriptRow[];
let failures: unknown[];
let asked: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'midcourse-transcript-'));
  rows = [];
  failures = [];
  asked = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const files = (at = folder) =>
  new TranscriptFiles({
    folder: at,
    rows: (_, { before = Number.POSITIVE_INFINITY, after = -1, limit = Number.POSITIVE_INFINITY }) => {
      asked += 1;
      return rows.filter(({ seq }) => seq > after && seq < before).slice(-limit);
    },
    cwd: () => '/project',
    now: () => 0,
    failed: (error) => failures.push(error),
  });

function say(seq: number, of: Partial<TranscriptRow>): void {
  const row: TranscriptRow = {
    ...{ id: `row-${seq}`, seq, turnId: 't', role: 'user', kind: 'message' },
    ...{ parts: [{ type: 'text', text: `text ${seq}` }], displayText: null, ...of },
  };
  rows.push(row);
}

async function lines(path: string | undefined) {
  const text = await readFile(path ?? '', 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('transcripts for hooks', () => {
  it('hold what was said, called and answered in the shape of Claude Code', async () => {
    say(1, {});
    say(2, {
      ...{ role: 'assistant', kind: 'text' },
      parts: [
        { type: 'text', text: 'Run.' },
        { type: 'tool_call', callId: 'call-1', name: 'terminal', input: { command: 'ls' } },
      ],
    });
    say(3, { role: 'tool', kind: 'tool_result', callId: 'call-1', status: 'error', displayText: 'no', parts: [] });
    say(4, { role: 'notice', kind: 'notice' });
    const written = await lines(await files().path('session-1'));
    deepEqual(
      written.map(({ type, uuid, message }) => [type, uuid, message.content]),
      [
        ['user', 'row-1', 'text 1'],
        [
          'assistant',
          'row-2',
          [
            { type: 'text', text: 'Run.' },
            { type: 'tool_use', id: 'call-1', name: 'Bash', input: { command: 'ls', description: 'Run ls' } },
          ],
        ],
        ['user', 'row-3', [{ type: 'tool_result', tool_use_id: 'call-1', content: 'no', is_error: true }]],
      ],
    );
    equal(written[0].timestamp, '1970-01-01T00:00:00.000Z');
    equal(written[0].sessionId, 'session-1');
  });

  it('grow by what is new', async () => {
    const transcripts = files();
    say(1, {});
    const path = await transcripts.path('session-1');
    await writeFile(path ?? '', 'kept\n');
    say(2, {});
    await transcripts.path('session-1');
    await transcripts.path('session-1');
    const [first, second, ...more] = (await readFile(path ?? '', 'utf8')).trim().split('\n');
    equal(first, 'kept');
    match(second ?? '', /row-2/);
    deepEqual(more, []);
  });

  it('are written anew when rows were undone', async () => {
    const transcripts = files();
    say(1, {});
    say(2, {});
    await transcripts.path('session-1');
    rows = rows.slice(0, 1);
    say(3, {});
    const written = await lines(await transcripts.path('session-1'));
    deepEqual(
      written.map(({ uuid }) => uuid),
      ['row-1', 'row-3'],
    );
  });

  it('are written once when several hooks ask at the same time', async () => {
    const transcripts = files();
    say(1, {});
    await Promise.all([transcripts.path('session-1'), transcripts.path('session-1'), transcripts.path('session-1')]);
    equal((await lines(join(folder, 'session-1.jsonl'))).length, 1);
  });

  it('hold the newest thousand rows of a long session, read in pages', async () => {
    for (let seq = 1; seq <= 1200; seq++) say(seq, {});
    const written = await lines(await files().path('session-1'));
    equal(written.length, 1000);
    equal(written.at(-1).uuid, 'row-1200');
    equal(asked, 20);
  });

  it('are kept of the fifty sessions that were asked for last', async () => {
    const transcripts = files();
    say(1, {});
    for (let session = 1; session <= 52; session++) {
      const path = await transcripts.path(`session-${session}`);
      await utimes(path ?? '', session, session);
    }
    const names = await readdir(folder);
    equal(names.length, 50);
    equal(names.includes('session-1.jsonl'), false);
  });

  it('go with their session', async () => {
    const transcripts = files();
    say(1, {});
    await transcripts.path('session-1');
    await transcripts.forget('session-1');
    deepEqual(await readdir(folder), []);
    equal((await lines(await transcripts.path('session-1'))).length, 1);
  });

  it('can only be read by their owner', async () => {
    say(1, {});
    const { mode } = await stat((await files().path('session-1')) ?? '');
    equal(mode & 0o077, 0);
  });

  it('that cannot be written are told of, and the hook runs without', async () => {
    await writeFile(join(folder, 'file'), '');
    say(1, {});
    equal(await files(join(folder, 'file')).path('session-1'), undefined);
    equal(failures.length, 1);
    equal(await files().path('../elsewhere'), undefined);
  });
});
