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
    assert.ok(!card?.summary.includes(token.slice(6, 20)), card?.summary);
  });

  it('A1m. a word that may name what runs is never masked, whatever form it has', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    for (const command of [
      `npm run ${token}`,
      `make ${token}`,
      `yarn ${token}`,
      `git ${token}`,
      `make -f ${token}`,
      `PATH=${token} ls`,
      `BASH_ENV=${token} ls`,
      `GIT_EXTERNAL_DIFF=${token} git diff`,
    ]) {
      const { card } = await gate.attempt(command);
      assert.equal(card?.command, command);
      assert.equal(card.masked, undefined);
    }
    const { card } = await gate.attempt(`API_TOKEN=${token} ls`);
    assert.equal(card?.command, `API_TOKEN=${'•'.repeat(token.length)} ls`);
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

  for (const [number, before, after] of [
    ['A5c', 'echo ok # a note \\\n', ''],
    ['A5d', 'echo a\\\\\n', ''],
    ['A5e', "cat <<'EOF'\ntext\\\nEOF\n", '\nEOF'],
    ['A5f', 'echo "$(true # \\\n', ')"'],
  ] as const) {
    it(`${number}. a line that only looks continued hides nothing: ${JSON.stringify(before)}`, async () => {
      const command = (one: string) => `${before}${one}${after}`;
      const { card } = await gate.attempt(command('rm -rf build'));
      const danger = card?.dangers?.find(({ why }) => /deletes files/.test(why));
      assert.deepEqual(partsOf(command('rm -rf build'), danger?.parts ?? []), ['rm -rf build']);
      assert.equal((await gate.attempt(command('rm -rf /'))).result?.status, 'blocked');
      await gate.workspace.run('terminal', { command: command('touch MARK') }, { seen: true });
      assert.ok(existsSync(gate.workspace.path('MARK')), 'the attempt is real: the shell runs it');
    });
  }

  it('A5g. lines that do go on are one command, also beside quotes and comments', async () => {
    for (const command of [
      "curl -s \\\n  -H 'accept: a/b' \\\n  http://127.0.0.1:9 # there",
      'r\\\nm -r\\\nf build',
      'echo "a \\\n b" c#d \\\n e',
    ]) {
      const { card } = await gate.attempt(command);
      const named = card?.dangers?.map(({ why }) => why) ?? [];
      assert.deepEqual(named, command.startsWith('r') ? ['It deletes files for good.'] : [], command);
    }
  });

  it('A5q. an operator ends the delimiter of a here-document: what stands behind it is a command', async () => {
    for (const operator of [';', '&', '|']) {
      const command = `V={a,b} echo <<E${operator} cat\nx\nE\nrm -rf src > "$X"`;
      const { card } = await gate.attempt(command);
      assert.match(card?.dangers?.map(({ why }) => why).join() ?? '', /deletes files|could not be read/, command);
    }
  });

  for (const [number, words, commands] of [
    ['A5h', /deletes files/, ['rm --recurs x', 'rm --forc x', 'rm --r x', 'grm --recursiv x']],
    ['A5i', /who may use/, ['chmod --recurs 700 x']],
    [
      'A5j',
      /not committed/,
      ['git reset --har', 'git reset --h HEAD', 'git checkout --forc', 'git read-tree -u --rese x'],
    ],
    ['A5k', /on the remote/, ['git push --delet origin x', 'git push --mirr', 'git push --pru origin']],
    ['A5l', /does not track/, ['git clean --forc']],
    ['A5m', /throws commits/, ['git branch --del --forc x', 'git tag --delet x']],
    ['A5n', /runs another program/, ["git grep -O'touch MARK' x", 'git difftool --ext=x', 'git clone --upload-p=x y']],
    ['A5o', /overwrites a file/, ['git log --output=x', 'git diff --outpu x']],
  ] as const) {
    it(`${number}. a danger is named also where its option is cut or rare: ${commands.join(', ')}`, async () => {
      for (const command of commands) {
        const { card } = await gate.attempt(command);
        assert.match(card?.dangers?.map(({ why }) => why).join() ?? '', words, command);
      }
    });
  }

  it('A5p. an option that is cut does not get past what never runs', async () => {
    for (const command of [
      'rm --recurs /',
      'rm --rec --forc ~',
      'sudo --std ls',
      'find -L / -delete',
      'find . / -delete',
    ]) {
      assert.equal((await gate.attempt(command)).result?.status, 'blocked', command);
    }
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
