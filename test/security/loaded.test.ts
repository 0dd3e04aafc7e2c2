import assert from 'node:assert/strict';
import { access, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { claudeHook, Machine, type TrustingWindow } from '../hooks/trusting-window.ts';

describe('consent for a hook', () => {
  let machine: Machine;

  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  const exists = (name: string): Promise<boolean> =>
    access(machine.path(`repository/${name}`)).then(
      () => true,
      () => false,
    );

  async function open(command: string, files: Readonly<Record<string, string>>): Promise<TrustingWindow> {
    for (const [name, text] of Object.entries(files)) await machine.write(`repository/${name}`, text);
    await machine.write('repository/.claude/settings.json', claudeHook(command));
    const window = await machine.open();
    await window.allow();
    assert.equal(window.hook().state.is, 'active', JSON.stringify(window.hook().state));
    return window;
  }

  /** In each language, a line that makes a file in the repository. */
  const mark = {
    js: (name: string) => `require('node:fs').writeFileSync('${name}', '');\n`,
    mjs: (name: string) => `(await import('node:fs')).writeFileSync('${name}', '');\n`,
    sh: (name: string) => `echo x > ${name}\n`,
    py: (name: string) => `open('${name}', 'w').close()\n`,
    pl: (name: string) => `open(my $f, '>', '${name}'); 1;\n`,
  };
  type Kind = keyof typeof mark;

  const rows: readonly {
    number: string;
    what: string;
    command: string;
    /** Runs, and loads `loaded`. */
    files: Readonly<Record<string, string>>;
    loaded: string;
    kind: Kind;
  }[] = [
    {
      number: 'B6a',
      what: 'a module that a module imports',
      command: 'node hooks/check.mjs',
      files: { 'hooks/check.mjs': "import './lib/a.mjs';\n", 'hooks/lib/a.mjs': "export * from './b.mjs';\n" },
      loaded: 'hooks/lib/b.mjs',
      kind: 'mjs',
    },
    {
      number: 'B6b',
      what: 'a module that is imported when it runs',
      command: 'node hooks/check.mjs',
      files: { 'hooks/check.mjs': 'await import(`./later.mjs`);\n' },
      loaded: 'hooks/later.mjs',
      kind: 'mjs',
    },
    {
      number: 'B6c',
      what: 'a module without its ending',
      command: 'node hooks/check.cjs',
      files: { 'hooks/check.cjs': "require('./lib');\n", 'hooks/lib/package.json': '{"main": "./start"}' },
      loaded: 'hooks/lib/start.js',
      kind: 'js',
    },
    {
      number: 'B6d',
      what: 'a module by createRequire',
      command: 'node hooks/check.mjs',
      files: {
        'hooks/check.mjs':
          "import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\nload('./old.cjs');\n",
      },
      loaded: 'hooks/old.cjs',
      kind: 'js',
    },
    {
      number: 'B6e',
      what: 'a module by the imports of its package.json',
      command: 'node hooks/check.mjs',
      files: {
        'package.json': '{"type": "module", "imports": {"#rules/*": "./rules/*.mjs"}}',
        'hooks/check.mjs': "import '#rules/one';\n",
      },
      loaded: 'rules/one.mjs',
      kind: 'mjs',
    },
    {
      number: 'B6f',
      what: 'code in the command line that loads a file',
      command: `node -e "require('./hooks/x')"`,
      files: {},
      loaded: 'hooks/x.js',
      kind: 'js',
    },
    {
      number: 'B6g',
      what: 'a script that a script sources',
      command: 'sh hooks/check.sh',
      files: { 'hooks/check.sh': '. hooks/lib.sh\n', 'hooks/lib.sh': '. hooks/more\n' },
      loaded: 'hooks/more',
      kind: 'sh',
    },
    {
      number: 'B6h',
      what: 'a script beside the script',
      command: './hooks/check.sh',
      files: { 'hooks/check.sh': '#!/bin/sh\nset -e\n. "$(dirname "$0")/lib.sh"\n' },
      loaded: 'hooks/lib.sh',
      kind: 'sh',
    },
    {
      number: 'B6i',
      what: 'a script in the folder that a variable names',
      command: 'bash hooks/check.sh',
      files: {
        'hooks/check.sh': `#!/bin/bash\nHERE="$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)"\nLIB="$HERE/lib"\nif true; then\n  source "$LIB/x.sh"\nfi\n`,
      },
      loaded: 'hooks/lib/x.sh',
      kind: 'sh',
    },
    {
      number: 'B6j',
      what: 'a script by BASH_SOURCE',
      command: 'bash hooks/check.sh',
      files: { 'hooks/check.sh': `check() { bash "\${BASH_SOURCE%/*}/y.sh"; }\ncheck\n` },
      loaded: 'hooks/y.sh',
      kind: 'sh',
    },
    {
      number: 'B6k',
      what: 'a module of another language that a script runs',
      command: 'sh hooks/check.sh',
      files: {
        'hooks/check.sh': 'cd "$(dirname "$0")" && node ./a.mjs && mv in-hooks ../loaded\n',
        'hooks/a.mjs': "import './b.mjs';\n",
      },
      loaded: 'hooks/b.mjs',
      kind: 'mjs',
    },
    {
      number: 'B6l',
      what: 'a module that Python imports',
      command: 'python3 hooks/check.py',
      files: { 'hooks/check.py': 'import os, sys\nfrom pkg.mod import (\n  x, # y\n)\n', 'hooks/pkg/__init__.py': '' },
      loaded: 'hooks/pkg/mod.py',
      kind: 'py',
    },
    {
      number: 'B6m',
      what: 'a module relative to a package of Python',
      command: 'python3 -m hooks.check',
      files: { 'hooks/__init__.py': '', 'hooks/check.py': 'from . import rules\n' },
      loaded: 'hooks/rules.py',
      kind: 'py',
    },
    {
      number: 'B6n',
      what: 'a text that Python runs',
      command: 'python3 hooks/check.py',
      files: { 'hooks/check.py': "exec(open('hooks/rules.txt').read())\n" },
      loaded: 'hooks/rules.txt',
      kind: 'py',
    },
    {
      number: 'B6o',
      what: 'a file that Perl does',
      command: 'perl hooks/check.pl',
      files: { 'hooks/check.pl': 'use strict;\nuse FindBin;\nrequire "$FindBin::Bin/rules.pl";\n' },
      loaded: 'hooks/rules.pl',
      kind: 'pl',
    },
    {
      number: 'B6p',
      what: 'what a script of package.json runs',
      command: 'npm run --silent lint',
      files: { 'package.json': '{"scripts": {"lint": "npm run --silent inner", "inner": "node tools/lint.mjs"}}' },
      loaded: 'tools/lint.mjs',
      kind: 'mjs',
    },
    {
      number: 'B6q',
      what: 'what a script of package.json runs before another one',
      command: 'npm test',
      files: { 'package.json': '{"scripts": {"pretest": "sh tools/before.sh", "test": "true"}}' },
      loaded: 'tools/before.sh',
      kind: 'sh',
    },
    {
      number: 'B6r',
      what: 'what a recipe of an included Makefile runs',
      command: 'make -s lint',
      files: { Makefile: 'TOOLS := tools\ninclude rules.mk\n', 'rules.mk': 'lint:\n\t@sh $(TOOLS)/lint.sh\n' },
      loaded: 'tools/lint.sh',
      kind: 'sh',
    },
  ];
  for (const { number, what, command, files, loaded, kind } of rows) {
    it(`${number}. is asked for again when ${what} changes: ${command}`, async () => {
      const text = mark[kind];
      const name = files['hooks/check.sh']?.includes('in-hooks') ? 'in-hooks' : 'loaded';
      const window = await open(command, { ...files, [loaded]: text(name) });
      await window.fire();
      assert.ok(await exists('loaded'), 'the attempt does not load what it should');
      await rm(machine.path('repository/loaded'));
      await machine.write(`repository/${loaded}`, text(name) + text('MARK'));
      await window.fire();
      assert.ok(!(await exists('loaded')) && !(await exists('MARK')), 'what it loads was changed, and it ran');
      await window.until(() => window.states()[0] === 'changed');
      const { state } = window.hook();
      assert.ok(state.is === 'changed');
      assert.deepEqual(
        state.changed.map((change) => change.what),
        [machine.path(`repository/${loaded}`)],
      );
      await window.allow();
      await window.fire();
      assert.ok(await exists('loaded'));
    });
  }

  it('B6s. is asked for again when a package.json script, a Makefile or an included file itself changes', async () => {
    const window = await open('npm run --silent lint', { 'package.json': '{"scripts": {"lint": "true"}}' });
    await machine.write('repository/package.json', '{"scripts": {"lint": "touch MARK"}}');
    await window.fire();
    assert.ok(!(await exists('MARK')));
    await window.until(() => window.states()[0] === 'changed');
  });

  it('B6t. is asked for again when a file comes to stand before the one that was loaded', async () => {
    const files = { 'hooks/check.py': 'import json\n', 'hooks/other.cjs': "require('./x')\n", 'hooks/x.json': '1' };
    const window = await open('python3 hooks/check.py; node hooks/other.cjs', files);
    await machine.write('repository/hooks/json.py', mark.py('MARK'));
    await window.fire();
    assert.ok(!(await exists('MARK')), 'a module of Python was replaced');
    await unlink(machine.path('repository/hooks/json.py'));
    await machine.write('repository/hooks/x.js', mark.js('MARK'));
    await window.fire();
    assert.ok(!(await exists('MARK')), 'a module came to be found first');
    await unlink(machine.path('repository/hooks/x.js'));
    await window.fire();
    assert.ok(!(await exists('MARK')));
  });

  it('B6u. is asked for again when a script becomes a link to the same bytes elsewhere, or its folder does', async () => {
    const script = '#!/bin/sh\necho x > loaded\n';
    const window = await open('./hooks/check.sh', { 'hooks/check.sh': script, 'elsewhere/check.sh': script });
    await window.fire();
    assert.ok(await exists('loaded'));
    await rm(machine.path('repository/loaded'));
    await unlink(machine.path('repository/hooks/check.sh'));
    await symlink('../elsewhere/check.sh', machine.path('repository/hooks/check.sh'));
    await window.fire();
    assert.ok(!(await exists('loaded')), 'the script is a link now, and ran');
    await window.until(() => window.states()[0] === 'changed');
    await rm(machine.path('repository/hooks'), { recursive: true });
    await symlink('elsewhere', machine.path('repository/hooks'));
    await window.fire();
    assert.ok(!(await exists('loaded')), 'its folder is a link now, and it ran');
  });

  const open_: readonly [string, string, string, Readonly<Record<string, string>>, string][] = [
    [
      'B6v',
      'scripts that are looked for when it runs',
      'find hooks -name "*.sh" -exec sh {} ";"',
      { 'hooks/a.sh': '' },
      'computed',
    ],
    [
      'B6w',
      'a program of the packages',
      'npm run lint',
      { 'package.json': '{"scripts":{"lint":"eslint ."}}', 'node_modules/.bin/eslint': '' },
      'package',
    ],
    ['B6x', 'a package from the network', 'npx -y some-server', {}, 'package'],
    ['B6y', 'a build of the workspace', 'cargo run --bin hook', {}, 'tool'],
    [
      'B6z',
      'a name in a variable',
      'sh hooks/a.sh',
      { 'hooks/a.sh': 'for one in x y; do . "./$one"; done\n' },
      'computed',
    ],
  ];
  for (const [number, what, command, files, code] of open_) {
    it(`${number}. says that what it loads is not checked: ${what}`, async () => {
      const window = await open(command, files);
      const { state } = window.hook();
      assert.ok(state.is === 'active');
      assert.ok(
        state.unchecked?.some((one) => one.code === code),
        JSON.stringify(state),
      );
    });
  }

  it('B6. of what is read as a whole says nothing of the kind', async () => {
    for (const { command, files, loaded, kind } of rows) {
      if (/exec\(|-e "/.test(JSON.stringify([command, files]))) continue;
      await rm(machine.path('repository'), { recursive: true });
      const window = await open(command, { ...files, [loaded]: mark[kind]('loaded') });
      assert.deepEqual(window.hook().state, { is: 'active' }, command);
    }
  });

  it('B6. tells of files beside the script that changed, came or went since, and of none that was written anew', async () => {
    const window = await open('find hooks -name "*.sh" -exec sh {} ";"', {
      'hooks/a.sh': 'echo x > loaded\n',
      'hooks/deep/b.sh': 'true\n',
      'hooks/c.sh': 'true\n',
    });
    const beside = async () => {
      await window.files.reload();
      const { state } = window.hook();
      assert.ok(state.is === 'active', state.is);
      return (state.beside ?? [])
        .map(({ path, how }) => `${path.slice(machine.path('repository/').length)} ${how}`)
        .sort();
    };
    assert.deepEqual(await beside(), []);
    await writeFile(machine.path('repository/hooks/a.sh'), await readFile(machine.path('repository/hooks/a.sh')));
    assert.deepEqual(await beside(), []);
    await machine.write('repository/hooks/a.sh', 'touch MARK\n');
    await machine.write('repository/hooks/deep/new.sh', 'true\n');
    await unlink(machine.path('repository/hooks/c.sh'));
    assert.deepEqual(await beside(), ['hooks/a.sh changed', 'hooks/c.sh removed', 'hooks/deep/new.sh added']);
    await window.allow();
    assert.deepEqual(await beside(), []);
  });

  it('B6. is not held up by files that load each other, by thousands of them, or by one without end', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [
        `hooks/${index}.mjs`,
        `import './${index + 1}.mjs';\nimport './${index - 1}.mjs';\n`,
      ]),
    );
    const wide = Array.from({ length: 3_000 }, (_, index) => `import './gone-${index}.mjs';`).join('\n');
    const long = `import${' '.repeat(100_000)}(${"'".repeat(100_000)}`;
    const window = await open('node hooks/0.mjs; node hooks/wide.mjs; node hooks/long.mjs; node hooks/zero.mjs', {
      ...many,
      'hooks/wide.mjs': wide,
      'hooks/long.mjs': long,
      'hooks/zero.mjs': "import './endless.mjs';",
    });
    await symlink('/dev/zero', machine.path('repository/hooks/endless.mjs'));
    const before = performance.now();
    await window.files.reload();
    assert.ok(performance.now() - before < 5_000);
    const { consentable } = window.hook();
    assert.ok(consentable);
    const consent = await window.consents.check(consentable);
    assert.ok(consent.files.length <= 420, String(consent.files.length));
    assert.ok(consent.unchecked.some(({ code }) => code === 'too_much'));
  });

  it('B6. follows a chain of sixty modules, and sees the last one change before the next run', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `hooks/${index}.mjs`,
        index < 59 ? `import './${index + 1}.mjs';\n` : '',
      ]),
    );
    const window = await open('node hooks/0.mjs', files);
    const { consentable } = window.hook();
    assert.ok(consentable);
    assert.equal((await window.consents.check(consentable)).files.length, 60);
    await machine.write('repository/hooks/59.mjs', mark.mjs('MARK'));
    assert.equal(await window.consents.isAllowed(consentable), false);
  });
});
