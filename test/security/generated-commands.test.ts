import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commandNeed, describeNeed, shellReader } from '../../src/agent/safety/index.ts';
import type { PermissionNeed } from '../../src/agent/tools/types.ts';
import { shellText, VARIABLES } from './shell-text.ts';
import { ShellTrace } from './shell-trace.ts';

/** `MIDCOURSE_COMMANDS` and `MIDCOURSE_COMMANDS_SEED` choose others. */
const COMMANDS = Number(process.env.MIDCOURSE_COMMANDS ?? 5_000);
const SEED = Number(process.env.MIDCOURSE_COMMANDS_SEED ?? 4_711);
/** Processes side by side. */
const LANES = 4;

describe(`security: ${COMMANDS} generated commands in the real bash (seed ${SEED})`, function () {
  this.timeout(1_200_000);
  const lanes = Array.from({ length: LANES }, () => new ShellTrace());

  before(async () => {
    await Promise.all(lanes.map((lane) => lane.open()));
  });
  after(() => Promise.all(lanes.map((lane) => lane.close())));

  it('S1. a card shows each command to the byte, a rule covers no more than the words that ran, and every program is named', async () => {
    const commands = fc.sample(shellText, { numRuns: COMMANDS, seed: SEED });
    const seen = { ran: 0, rules: 0, chains: 0, unsure: 0 };
    const next = commands.values();
    const found: unknown[] = [];
    await Promise.all(
      lanes.map(async (lane) => {
        for (const command of next) await check(command, lane, seen).catch((error: unknown) => found.push(error));
      }),
    );
    const words = found.map((error) => (error instanceof Error ? error.message : String(error)));
    assert.deepEqual(words.slice(0, 20), [], `${found.length} of ${COMMANDS}`);
    // It would show nothing if the shell had refused most of them, or no rule had been made.
    assert.ok(seen.ran > COMMANDS / 2, JSON.stringify(seen));
    assert.ok(seen.rules > COMMANDS / 50, JSON.stringify(seen));
    assert.ok(seen.chains > 0, JSON.stringify(seen));
    assert.ok(seen.unsure < COMMANDS / 3, JSON.stringify(seen));
  });
});

interface Seen {
  ran: number;
  rules: number;
  chains: number;
  unsure: number;
}

async function check(command: string, lane: ShellTrace, seen: Seen): Promise<void> {
  const what = JSON.stringify(command);
  const cwd = lane.folder;
  const need = await commandNeed(command, 'posix', { cwd, folders: [cwd] });
  if (need.blocked !== undefined) return;
  const permission: PermissionNeed = { kind: 'run', summary: '', why: need.why, command, masked: need.masked };
  assert.equal(describeNeed(permission).command, command, what);
  const reader = await shellReader({ powershell: false });
  const script = reader.read(command, 'posix');
  if (script.unsure !== undefined) seen.unsure++;
  const before = need.rule ? await lane.files() : [];
  const started = await lane.run(command, VARIABLES);
  if (started.length > 0) seen.ran++;
  if (need.rule) {
    seen.rules++;
    const named = script.commands.map(({ words }) => words.map(({ text }) => text).join('\0'));
    const chained = named.length > 1;
    // A builtin of the shell starts nothing, and of a chain not every part has to run.
    assert.ok(started.length <= named.length, `a rule for ${what}`);
    for (const one of started) {
      assert.equal(one.cwd, cwd, `a rule for ${what}`);
      assert.ok(named.includes(one.words.join('\0')), `a rule for ${what} started ${JSON.stringify(one.words)}`);
    }
    if (chained) seen.chains++;
    assert.deepEqual(await lane.files(), before, `a rule for ${what}`);
    return;
  }
  if (script.unsure !== undefined) return;
  const evaluated = script.commands.filter(({ words }) => words[0]?.text === 'eval');
  const inner = evaluated.map(({ words }) => words.slice(1).map(({ text }) => text));
  const commands = [...script.commands, ...inner.flatMap((texts) => reader.read(texts.join(' '), 'posix').commands)];
  for (const { words } of started) {
    const named = commands.some((one) => {
      const texts = one.words.map(({ text }) => text);
      // What only the shell knows may be anything; a word that is not literal may have become others.
      if (one.words[0]?.dynamic || isOpen(one.words)) return true;
      const at = texts.indexOf(words[0] ?? '');
      return at >= 0 && texts.slice(at).join('\0') === words.join('\0');
    });
    const card = JSON.stringify(commands.map((one) => one.words.map(({ text }) => text)));
    assert.ok(named, `${what} started ${JSON.stringify(words)}, and the card names ${card}`);
  }
}

function isOpen(words: readonly { readonly literal: boolean }[]): boolean {
  return words.some(({ literal }) => !literal);
}
