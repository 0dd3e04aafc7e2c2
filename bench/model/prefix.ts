import { sharedPrefixes } from '../../test/harness/shared-prefix.ts';
import { WIRES } from '../../test/unit/model/wire-fixture.ts';
import { event, Rig } from '../../test/unit/turn/rig.ts';

const REQUESTS = 50;

/** Markdown: on each wire a session of 50 requests with steers, redirects and stops, and what each pair shares. */
export async function prefixTable(): Promise<string> {
  const lines: string[] = [];
  for (const wire of WIRES) {
    const rig = await Rig.start('openai-chat', { stepBudget: REQUESTS }, (server) => {
      const own = wire.create(server, { apiKey: 'bench' });
      return { models: { resolve: async () => ({ ...MODEL, wire: own }) } };
    });
    try {
      await converse(rig);
      const shares = sharedPrefixes(rig.server.requests)
        .map(({ share }) => share)
        .toSorted((a, b) => a - b);
      const [worst, median] = [shares[0], shares[Math.floor(shares.length / 2)]];
      lines.push(`| ${wire.name} | ${shares.length} | ${median?.toFixed(4)} | ${worst?.toFixed(4)} |`);
    } finally {
      await rig.close();
    }
  }
  return ['| shared prefix | pairs | median | worst |', '|---|---|---|---|', ...lines].join('\n');
}

const MODEL = {
  ref: 'bench/model',
  label: 'Bench',
  model: 'claude-bench',
  contextWindow: 1_000_000,
  maxOutput: 4096,
  vision: false,
} as const;

async function converse(rig: Rig): Promise<void> {
  rig.write('notes.txt', 'some notes\n');
  const session = rig.agent.create();
  const call = { call: { name: 'read_file', input: { path: 'notes.txt' } } };
  const standing = { steps: [{ text: 'So far' }, { pause: 'middle' }] };
  const answer = { steps: [{ text: 'Done.' }] };
  while (rig.server.requests.length < REQUESTS) {
    rig.server.script({ steps: [call, { pause: 'middle' }] }, standing, answer);
    session.send('Look at the notes, and then write.');
    const first = await rig.server.request(rig.server.requests.length);
    await first.paused('middle');
    session.steer('Only the first of them.');
    first.release('middle');
    await event(session, 'delta', ({ text }) => text === 'So far', session.seq);
    session.redirect('Rather the last of them.');
    await session.settled();
    rig.server.script(standing);
    const since = session.seq;
    session.send('Write a long text.');
    await event(session, 'delta', () => true, since);
    session.stop();
    await session.settled();
  }
}
