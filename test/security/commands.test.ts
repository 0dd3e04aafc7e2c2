import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { TextRange } from '../../src/api.ts';
import { CommandGate } from './command-gate.ts';

describe('security: what a card shows of a command', function () {
  this.timeout(20_000);
  let gate: CommandGate;

  beforeEach(async () => {
    gate = new CommandGate();
    await gate.workspace.open();
  });
  afterEach(() => gate.workspace.close());

  const partsOf = (command: string, parts: readonly TextRange[]) =>
    parts.map(({ start, end }) => command.slice(start, end));

  for (const [number, command] of [
    ['A1a', 'echo "-----BEGIN PRIVATE KEY-----" > /dev/null; touch MARK; npm --version'],
    ['A1b', 'API_TOKEN="prod-$(touch MARK)" npm --version'],
    ['A1c', 'curl -H "Authorization: Bearer $(touch MARK)xxxxxxxxxxxxxxxxxxxx" http://127.0.0.1:9'],
    ['A1d', 'X=sk-aaaaaaaaaaaaaaaaaaaaaaaa;touch MARK'],
    ['A1e', 'API_KEY="touch MARK" && $API_KEY'],
    ['A1f', 'login --password "`touch MARK`"'],
    ['A1g', 'git clone https://user:$(touch MARK)@127.0.0.1:9/x.git'],
    ['A1h', 'sh sk-aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['A1i', 'ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa x'],
    ['A1j', 'env TOKEN=ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa touch MARK'],
  ] as const) {
    it(`${number}. every byte that the shell acts on is shown: ${command}`, async () => {
      const { card, need } = await gate.attempt(command);
      assert.ok(need, 'it asks');
      assert.equal(need.command, command);
      // Only a value that is a key from its first to its last character may be masked.
      const masked = card?.masked ?? [];
      assert.ok(masked.every(({ start, end }) => /^(sk-|ghp_)a+$/.test(command.slice(start, end)) && start > 0));
      if (number !== 'A1d') assert.equal(card?.command, command);
      assert.equal(existsSync(gate.workspace.path('MARK')), false);
    });
  }

  it('A1k. a literal word that is wholly a secret is masked, as long as it is, and what runs is not', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const command = `gh-login ${token} --quiet`;
    const { card, need } = await gate.attempt(command);
    assert.equal(card?.command, `gh-login ${'•'.repeat(token.length)} --quiet`);
    assert.deepEqual(card?.masked, [{ start: 9, end: 9 + token.length }]);
    assert.equal(need?.command, command);
  });

  it('A1l. what Always would allow is shown to the byte', async () => {
    const { card } = await gate.attempt('deploy --token=abcdefghijklmnopqrstuvwxyz');
    assert.match(card?.alwaysScope ?? '', /`deploy --token=abcdefghijklmnopqrstuvwxyz`/);
  });

  it('A2a. a command with characters that cannot be seen asks every time, and each is named with its place', async () => {
    const controls = [
      '\u202e',
      '\u2066',
      '\u200b',
      '\u00ad',
      '\u001b',
      '\r',
      '\u0008',
      '\u{e0041}',
      '\u2028',
      '\ufeff',
    ];
    for (const hidden of controls) {
      const command = `echo ok # ${hidden}x`;
      const { card } = await gate.attempt(command);
      const danger = card?.dangers?.find(({ why }) => why.includes('cannot be seen'));
      assert.equal(partsOf(command, danger?.parts ?? []).join(''), hidden, JSON.stringify(hidden));
      assert.deepEqual(card?.choices, ['once', 'deny']);
    }
  });

  it('A2b. an emoji is no hidden character', async () => {
    const { card } = await gate.attempt("git commit -m '👩‍💻 ❤️ 1️⃣ done'");
    assert.ok(card);
    assert.equal(card.dangers, undefined);
  });

  it('A2c. a program whose name holds letters of another script asks every time', async () => {
    const { card } = await gate.attempt('gіt status');
    assert.match(card?.why ?? '', /look like others/);
  });

  it('A4a. the summary of a command of many lines shows its end, and that there are lines between', async () => {
    const { card } = await gate.attempt(`npm --version${'\n'.repeat(60)}touch MARK`);
    assert.match(card?.summary ?? '', /npm --version ⏎ touch MARK/);
    const long = await gate.attempt(`echo ${'x'.repeat(500)}; touch MARK`);
    assert.match(long.card?.summary ?? '', /touch MARK$/);
  });

  it('A5a. every danger of a command is named, with the part that it is about', async () => {
    const command = 'rm -rf packages/vue/dist && git push --force origin main';
    const { card } = await gate.attempt(command);
    assert.deepEqual(
      card?.dangers?.map(({ why, parts }) => [why, partsOf(command, parts)]),
      [
        ['It deletes files for good.', ['rm -rf packages/vue/dist']],
        ['It overwrites or deletes what is on the remote.', ['git push --force origin main']],
      ],
    );
    assert.match(card?.why ?? '', /deletes files.*remote/);
  });

  it('A5b. dangers inside of wrappers, payloads, pipes and loops are named as well', async () => {
    const command =
      'sudo rm -r x; bash -c "git reset --hard"; for f in *; do truncate -s 0 $f; done; curl x | sh; cat .env';
    const { card } = await gate.attempt(command);
    const named = card?.dangers?.map(({ why }) => why).join('\n') ?? '';
    const words = [
      'another user',
      'deletes files',
      'not committed',
      'content of files',
      'another command prints',
      '.env',
    ];
    for (const word of words) assert.ok(named.includes(word), `${word} in ${named}`);
    assert.ok(card?.dangers?.every(({ parts }) => parts.length > 0));
  });

  it('C4h. a command made to be slow to read is asked about, not worked on', async () => {
    for (const piece of ['{a,b}', '$(', 'sudo "a b" ', 'sh -c "sh -c a";', '<<A ', '((', '\\\n', '`\\`', 'a(){ ']) {
      const before = process.cpuUsage();
      const { card } = await gate.attempt(`sudo ${piece.repeat(19_000 / piece.length)}`);
      const { user, system } = process.cpuUsage(before);
      assert.ok(card?.dangers && card.dangers.length > 0, piece);
      // Without bounds the worst of these took 40 s.
      assert.ok(user + system < 3_000_000, `${piece}: ${(user + system) / 1000} ms`);
    }
  });
});
