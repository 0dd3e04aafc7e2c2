import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { CommandGate } from './command-gate.ts';

/** The parts of a repository as plain files, as a cloned one may bring them: its monitor makes a mark. */
function bareRepository(folder: string, mark: string): void {
  execFileSync('git', ['init', '-q', '--bare', folder]);
  for (const [key, value] of [
    ['core.bare', 'false'],
    ['core.worktree', '.'],
    ['core.fsmonitor', `touch ${mark}; false`],
  ] as const) {
    execFileSync('git', ['config', key, value], { cwd: folder });
  }
}

describe('security: what a rule for commands allows', function () {
  this.timeout(20_000);
  let gate: CommandGate;

  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: gate.workspace.folder });

  beforeEach(async () => {
    gate = new CommandGate();
    await gate.workspace.open();
    git('init', '-q');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'one');
  });
  afterEach(() => gate.workspace.close());

  const asks = async (command: string, more: object = {}) => {
    const { card, result } = await gate.attempt(command, more);
    assert.ok(card, `ran without a card: ${command}`);
    assert.equal(result, undefined);
  };
  const runs = async (command: string) => assert.ok((await gate.attempt(command)).result, `asked: ${command}`);
  const keyOf = async (command: string) => (await gate.workspace.permission('terminal', { command }))?.rule?.key;

  it('B1a. braces behind `git log` ask: they would become options that write files and run code', async () => {
    await gate.allowAlways('git log');
    await runs('git log -1 --oneline');
    await asks('git log -1 --{output=.git/config,format=%x5bcore%x5d}');
    await asks('git log -1 -p --{ext-diff,no-color} --root');
    await asks('git log {--output=x,-1}');
  });

  it('B1b. whatever the shell would expand or read differently asks, and has no rule for its exact text either', async () => {
    await gate.allowAlways('git log');
    const expanding = ['*', '?', '[a]', '~', '~/x', '$HOME', '$(id)', '`id`', '$((1))', '{a,b}', '{1..3}', '\\x'];
    const quoting = ["$'x'", '$"x"', '"$X"', '"`id`"', '!x', '@(a|b)', '<(id)', 'é', 'a\u00a0b', '\u200b', "'a\nb'"];
    const operators = [
      '> x',
      '2> x',
      '&> /dev/null',
      '< x',
      '| sh',
      '|& cat',
      '&& cd x',
      '; X=1 id',
      '& id',
      '\nid',
      '\\\nid',
      '#x',
      '-- # x',
    ];
    for (const tail of [...expanding, ...quoting, ...operators]) {
      await asks(`git log ${tail}`);
      assert.equal(await keyOf(`git log ${tail}`), undefined, `a rule for: git log ${tail}`);
    }
  });

  it('B1r. a chain runs where each part has an allowed rule, and every redirect writes to nothing or the other stream', async () => {
    await gate.allowAlways('git log');
    for (const tail of ['2>&1', '2>/dev/null', '> /dev/null 2>&1', '; git log -1', '&& git log -1 2>&1']) {
      await runs(`git log -1 ${tail}`);
    }
    for (const tail of ['| head -5', '&& id', '|| id', '; id']) await asks(`git log -1 ${tail}`);
    assert.match(await gate.allowAlways('git log -1 2>&1 | head -5'), /`git log`.*; and .*`head`/);
    await runs('git log -2 --oneline | head -1');
    await runs('git log HEAD^ -- | head -1 || git log');
    await gate.allowAlways('make lint');
    await runs('make lint && make lint');
    await asks('make lint && git log');
    await asks('make lint | make lint');
  });

  it('B1s. what a chain does not cover, even where each of its words is allowed', async () => {
    for (const one of ['npm test', 'head -5', 'cat a.txt', 'echo a', 'id']) await gate.allowAlways(one);
    await runs('npm test | head -5; id');
    for (const command of [
      'npm test | sh',
      'npm test | id',
      'npm test | xargs id',
      'npm test | tee a.txt',
      'npm test > a.txt',
      'npm test > ~/.bashrc',
      'npm test 2> a.txt',
      'npm test &> /dev/null',
      'npm test & id',
      'npm test; cd x && id',
      'cd x && npm test',
      'pushd x; npm test',
      'npm test && export A=1 && id',
      'A=1 npm test | head -5',
      'npm test | A=1 head -5',
      'npm test <(id)',
      'cat < a.txt | head -5',
      'npm test | head -5 $X',
      'npm test | head -5 *',
      'npm test |& head -5',
      'npm test\nid',
      'npm test | head -5 # x',
      '(npm test; id)',
      '! npm test',
      'npm test 3>&1',
      'npm test >&- ; id',
      'alias id=x; id',
      'set -e; id',
      'exec id; id',
      'trap id EXIT; id',
    ]) {
      await asks(command);
    }
    for (const command of ['npm test >> /dev/null/../a.txt', 'npm test > /dev/null/x', 'npm test >/dev/nullx']) {
      assert.equal((await gate.attempt(command)).result?.status, 'blocked', command);
    }
  });

  it('B1t. git in a chain that a rule allowed starts no monitor, and shares its run with readers only', async () => {
    await gate.allowAlways('git status | head -5');
    const mark = gate.workspace.path('MARK');
    git('config', 'core.fsmonitor', `touch ${mark}; false`);
    await runs('git status | head -1');
    await gate.allowAlways('echo a');
    await runs('echo a; git status');
    assert.equal(existsSync(mark), false);
    await gate.allowAlways('npm test');
    await asks('npm test && git status');
    await gate.workspace.run('terminal', { command: 'echo a; git status' }, { seen: true });
    assert.equal(existsSync(mark), true, 'the attempt is real: once seen and allowed, git starts it');
  });

  it('B5s. programs that only show have a rule for files of the workspace, by their real paths, and none with secrets', async () => {
    const folder = gate.workspace.folder;
    await mkdir(`${folder}/src`);
    await writeFile(`${folder}/src/a.ts`, 'one\ntwo\n');
    await writeFile(`${folder}/.env`, 'TOKEN=x\n');
    await symlink(`${folder}/.env`, `${folder}/notes.txt`);
    await link(`${folder}/.env`, `${folder}/hard.txt`);
    await symlink('/etc/hostname', `${folder}/host.txt`);
    for (const one of ['cat', 'head', 'tail', 'wc', 'grep x', 'sed -n 1p', 'sort'])
      await gate.allowAlways(`${one} src/a.ts`);
    await gate.allowAlways('echo a | rg a');
    await gate.allowAlways('ls');
    for (const command of [
      'cat src/a.ts',
      "cat -n 'src/a.ts' | grep -n 'o*' | head -n 5",
      'ls -la src',
      'wc -l src/a.ts',
      "grep -n '/api' src/a.ts",
      "sed -n '1,20p' src/a.ts | tail -3",
      'cat src/a.ts | rg -n two',
    ]) {
      await runs(command);
    }
    for (const command of [
      'cat notes.txt',
      'cat hard.txt',
      'cat host.txt',
      'cat src/../.env',
      'cat /etc/hostname',
      'cat ../x',
      'cat src',
      'rg x',
      'rg x src',
      'grep -r x src',
      'grep -rn x',
      'grep -f src/a.ts src/a.ts',
      'sort -o src/b.ts src/a.ts',
      'sort --compress-program=x src/a.ts',
      'tail -f src/a.ts',
      "sed -n 'w x' src/a.ts",
      "sed -i '1p' src/a.ts",
      'cat src/*.ts',
      'head $X',
      'ls ~',
      'ls ..',
    ]) {
      await asks(command);
    }
  });

  it('B1n. a tilde behind a letter or digit is literal and fits; one that a shell expands asks', async () => {
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'two');
    await gate.allowAlways('git diff');
    await runs('git diff HEAD~1');
    await runs('git diff --stat HEAD~1 HEAD');
    for (const word of ['~', '~1', '~/x', '~root', 'a=~', 'HEAD:~/x', '--output=~/x', './~', '-~', '""~', 'a~[1]']) {
      await asks(`git diff ${word}`);
    }
    const env = { HOME: '/home/x', PATH: process.env.PATH };
    const echoed = execFileSync('sh', ['-c', 'echo HEAD~1 a_~ x~root/y 1~'], { env });
    assert.equal(echoed.toString(), 'HEAD~1 a_~ x~root/y 1~\n', 'so do shells');
  });

  it('B1l. `git --no-pager log` has a rule of its own, which covers no other option in front and starts no monitor', async () => {
    await gate.allowAlways('git --no-pager status');
    const mark = gate.workspace.path('MARK');
    git('config', 'core.fsmonitor', `touch ${mark}; false`);
    await runs('git --no-pager status -sb');
    await gate.allowAlways('git "status"');
    await runs('git "status"');
    assert.equal(existsSync(mark), false);
    for (const command of [
      'git status',
      'git --paginate status',
      'git --no-pager --paginate status',
      'git --no-pager -c core.pager=./x status',
      'git -C vendor --no-pager status',
      'git --no-pager log',
      'git --no-pager status --output=x',
    ]) {
      await asks(command);
    }
    const seen = await gate.workspace.run('terminal', { command: 'git --no-pager status' }, { seen: true });
    assert.equal(seen.status, 'success');
    assert.equal(existsSync(mark), true, 'the attempt is real: once seen and allowed, git starts it');
  });

  it('B1m. options that only choose what is built or shown fit a rule; those that name code or a place ask', async () => {
    const families = {
      'cargo build': {
        fits: ['--release', '--all-targets -v'],
        asks: ['--config x', '--target-dir x', '--manifest-path=x'],
      },
      'go test': {
        fits: ['-v ./...', './... -run TestX -count=1'],
        asks: ['-exec x', '-toolexec=x', '-o x', '-run=x'],
      },
      'git blame': { fits: ['-L 1,20 src/a.ts', '-L1,+5 a'], asks: ['--contents x', '-L /x/,2', '-L 1,2:../x'] },
    };
    for (const [family, words] of Object.entries(families)) {
      const key = await keyOf(`${family} x`);
      assert.match(key ?? '', /^run:/);
      for (const more of words.fits) assert.equal(await keyOf(`${family} ${more}`), key, more);
      for (const more of words.asks) assert.notEqual(await keyOf(`${family} ${more}`), key, more);
    }
  });

  it('B1o. an escaped blank before a # begins no comment: what stands behind it is asked for every time, with the reason', async () => {
    for (const command of ['echo \\ #x; rm -rf dist', 'V=1 \\ #c || sudo ls', 'V=1 \\\t#c; git push --force']) {
      const { card } = await gate.attempt(command);
      assert.deepEqual(card?.choices, ['once', 'deny'], command);
      assert.match(card?.dangers?.map(({ why }) => why).join() ?? '', /escapes a blank/, command);
    }
    const ran = execFileSync('sh', ['-c', 'echo \\ #x; echo ran']);
    assert.equal(ran.toString(), ' #x\nran\n', 'the attempt is real');
  });

  it('B1c. an assignment, a keyword or a function in front asks', async () => {
    await gate.allowAlways('git log');
    for (const before of ['GIT_EXTERNAL_DIFF=./x', 'time', '!', 'if', 'git() { id; };', '(', '{', 'exec', 'coproc']) {
      await asks(`${before} git log`);
    }
  });

  it('B2a. a rule is for one folder: a repository inside of it asks, and its monitor does not run', async () => {
    await gate.allowAlways('git status');
    const lib = gate.workspace.path('vendor/lib');
    const mark = gate.workspace.path('MARK');
    bareRepository(lib, mark);
    await asks('git status', { cwd: 'vendor/lib' });
    await asks('cd vendor/lib && git status');
    await asks('git -C vendor/lib status');
    assert.equal(existsSync(mark), false);
    const { card } = await gate.attempt('git status', { cwd: 'vendor/lib' });
    assert.equal(card?.cwd, 'vendor/lib');
    await gate.workspace.run('terminal', { command: 'git status', cwd: 'vendor/lib' }, { seen: true });
    assert.equal(existsSync(mark), true, 'the attempt is real: once seen and allowed, git starts it');
  });

  it('B2b. git that a rule allowed starts no monitor and no hook of the repository', async () => {
    await gate.allowAlways('git status');
    const mark = gate.workspace.path('MARK');
    await writeFile(gate.workspace.path('a'), 'x');
    git('add', 'a');
    git('config', 'core.fsmonitor', `touch ${mark}; false`);
    await writeFile(gate.workspace.path('.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    await runs('git status');
    assert.equal(existsSync(mark), false);
    const seen = await gate.workspace.run('terminal', { command: 'git status' }, { seen: true });
    assert.equal(seen.status, 'success');
    assert.equal(existsSync(mark), true, 'the attempt is real: once seen and allowed, git starts it');
  });

  it('B2c. a folder that became a bare repository after its rule starts nothing', async () => {
    const lib = gate.workspace.path('lib');
    await mkdir(lib);
    await gate.allowAlways('git status', { cwd: 'lib' });
    const mark = gate.workspace.path('MARK');
    bareRepository(lib, mark);
    await gate.attempt('git status', { cwd: 'lib' });
    assert.equal(existsSync(mark), false);
    await gate.workspace.run('terminal', { command: 'git status', cwd: 'lib' }, { seen: true });
    assert.equal(existsSync(mark), true, 'the attempt is real');
  });

  it('B2j. a list of revisions that the repository names is not read under a rule for git blame', async () => {
    await writeFile(gate.workspace.path('a'), 'x\n');
    await writeFile(gate.workspace.path('.env'), 'TOKEN=s3cret\n');
    git('add', 'a');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'two');
    git('config', 'blame.ignoreRevsFile', '.env');
    const { card } = await gate.attempt('git blame a');
    assert.match(card?.why ?? '', /blame\.ignorerevsfile/);
    assert.deepEqual(card?.choices, ['once', 'deny']);
    const seen = await gate.workspace.run('terminal', { command: 'git blame a' }, { seen: true });
    assert.match(seen.text, /s3cret/, 'the attempt is real: once seen and allowed, git reads it');
  });

  it('B2e. a commit that a rule allowed keeps the hooks of its repository', async () => {
    const mark = gate.workspace.path('MARK');
    await writeFile(gate.workspace.path('.git/hooks/pre-commit'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    git('config', 'user.name', 'a');
    git('config', 'user.email', 'a@b');
    await gate.allowAlways('git commit --allow-empty -m two');
    await runs('git commit --allow-empty -m two');
    assert.equal(existsSync(mark), true);
  });

  it('B2d. filters and drivers of diffs that the repository names make git ask again', async () => {
    await gate.allowAlways('git diff');
    await runs('git diff');
    git('config', 'filter.x.clean', 'touch MARK; cat');
    const { card } = await gate.attempt('git diff');
    assert.match(card?.why ?? '', /filter\.x\.clean/);
  });

  for (const [number, rule, command] of [
    ['B2f', 'git status', 'git status'],
    ['B2i', 'git diff', 'git diff'],
  ] as const) {
    it(`${number}. behind \`${rule}\` a submodule's own filters and drivers start nothing`, async () => {
      await gate.allowAlways(rule);
      const mark = gate.workspace.path('MARK');
      const sub = gate.workspace.path('sub');
      await mkdir(sub);
      const inSub = (...args: readonly string[]) => execFileSync('git', args, { cwd: sub });
      inSub('init', '-q');
      await writeFile(gate.workspace.path('sub/a'), 'one');
      inSub('add', 'a');
      inSub('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'a');
      git('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
      await runs(command);
      inSub('config', 'filter.x.clean', `touch ${mark}; cat`);
      await writeFile(gate.workspace.path('sub/.gitattributes'), '* filter=x\n');
      await writeFile(gate.workspace.path('sub/a'), 'two');
      await asks(command);
      assert.equal(existsSync(mark), false);
      await gate.workspace.run('terminal', { command }, { seen: true });
      assert.equal(existsSync(mark), true, 'the attempt is real');
    });
  }

  it('B2g. a driver that merges starts nothing where a log shows merges again', async () => {
    await gate.allowAlways('git log');
    const mark = gate.workspace.path('MARK');
    const commit = async (text: string) => {
      await writeFile(gate.workspace.path('a'), text);
      git('add', '-A');
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', text);
    };
    await writeFile(gate.workspace.path('.gitattributes'), '* merge=x\n');
    await commit('base');
    git('checkout', '-q', '-b', 'other');
    await commit('other');
    git('checkout', '-q', '-b', 'own', 'HEAD~1');
    await commit('own');
    assert.throws(() => git('-c', 'user.name=a', '-c', 'user.email=a@b', 'merge', '-q', 'other'));
    await commit('both');
    git('config', 'log.diffMerges', 'remerge');
    git('config', 'merge.x.driver', `touch ${mark}; false`);
    await asks('git log -p -m');
    assert.equal(existsSync(mark), false);
    await gate.workspace.run('terminal', { command: 'git log -p -m' }, { seen: true });
    assert.equal(existsSync(mark), true, 'the attempt is real');
  });

  it('B2h. git that is led to another repository by its options has no rule', async () => {
    for (const options of ['-C lib', '--git-dir=lib/.git', '--git-dir lib/.git', '--work-tree=lib', '-P -C lib']) {
      assert.equal(await keyOf(`git ${options} diff`), undefined, options);
    }
    assert.ok(await keyOf('git --no-pager log'));
  });

  it('B4a. text for PowerShell is read as PowerShell', async () => {
    for (const shell of ['/usr/bin/pwsh', 'powershell.exe', 'C:\\Program Files\\PowerShell\\7\\pwsh.exe']) {
      for (const command of [
        'Remove-Item C:\\Windows -Recurse -Force',
        'ri -r -fo "C:\\"',
        'Get-Item x | Remove-Item C:\\Users -Recurse',
        'if ($true) { Remove-Item $env:USERPROFILE -Recurse }',
        'cmd /c "rd /s /q C:\\"',
      ]) {
        const { result } = await gate.attempt(command, {}, { settings: { terminalTimeout: 1, shell } });
        assert.equal(result?.status, 'blocked', `${shell}: ${command}`);
      }
    }
  });

  it('B4b. a shell without a grammar asks for everything, every time, and never runs what is blocked', async () => {
    for (const shell of ['/bin/zsh', '/usr/bin/fish', 'cmd.exe', '/bin/dash', '/opt/x/bash-like']) {
      const at = { settings: { terminalTimeout: 1, shell } };
      const { card } = await gate.attempt('git status', {}, at);
      assert.deepEqual(card?.choices, ['once', 'deny'], shell);
      for (const command of ['rm -rf /', 'rd /s /q C:\\', 'Remove-Item C:\\Windows -Recurse -Force']) {
        assert.equal((await gate.attempt(command, {}, at)).result?.status, 'blocked', `${shell}: ${command}`);
      }
    }
  });

  it('B4c. cmdlets inside of a command for sh are judged as what they would be', async () => {
    for (const command of [
      'Remove-Item C:\\Windows -Recurse -Force',
      "pwsh -c 'Remove-Item C:\\Windows -Recurse -Force'",
      'powershell.exe -Command "ri C:\\ -r"',
    ]) {
      assert.equal((await gate.attempt(command)).result?.status, 'blocked', command);
    }
  });

  for (const [rule, covered, asking] of [
    [
      'git diff',
      ['git diff --stat', 'git diff main -- src', 'git diff --cached'],
      [
        '--no-index /dev/null /etc/hostname',
        '--output=x',
        '--outp=x',
        '--ext-diff',
        '../x',
        '-Ofile',
        '/etc/hostname a',
      ],
    ],
    [
      'git log',
      ['git log -3 --oneline --stat', 'git log --format=%h'],
      ['--textconv', '--show-signature', '-L1,2:../x', '--no-walk --output=x'],
    ],
    ['git show', ['git show HEAD'], ['HEAD:../../x', '--output=x', 'HEAD:.env']],
    [
      'npm test',
      ['npm test -- --coverage src/a.test.ts', 'npm test -- --grep x'],
      [
        '-- --import=data:text/javascript,1',
        '-- -r ./x',
        '--script-shell=x',
        '-- https://x/y.ts',
        '-- ../x',
        '-- /x',
        '-- @args',
        '-- NODE_OPTIONS=x',
        '--prefix x',
      ],
    ],
    ['npm run build', ['npm run build -- --watch'], ['-- --config=x', '--prefix ../x', '-- file:x']],
    ['deno test', ['deno test a.ts'], ['https://x/y.ts', 'npm:x', 'jsr:@a/b', '-A', 'data:text/javascript,1']],
    ['go test', ['go test ./...'], ['-exec x', '../../elsewhere', '-toolexec=x']],
    ['cargo test', ['cargo test parser'], ['--config x', '--manifest-path=/x']],
    ['mvn test', [], ['-Dexec=x', '-f /x', 'deploy', 'site-deploy', 'clean']],
  ] as const) {
    it(`B5p. behind \`${rule}\` no code, address or place outside is covered`, async () => {
      await gate.allowAlways(rule);
      for (const command of covered) assert.equal(await keyOf(command), await keyOf(rule), command);
      for (const tail of asking) await asks(`${rule} ${tail}`);
    });
  }

  it('B5q. the words of a rule say where it counts and what it does not cover', async () => {
    assert.match(await gate.allowAlways('npm test'), /start with `npm test` in .*not with further options.*outside/);
    assert.match(await gate.allowAlways('git diff'), /not with options that write files or start programs/);
  });
});
