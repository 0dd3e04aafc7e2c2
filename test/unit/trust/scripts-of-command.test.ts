import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type NamingCommand, scriptsOfCommand } from '../../../src/agent/trust/scripts-of-command.ts';

describe('the scripts that a command names', () => {
  let folder: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'scripts-')));
    await mkdir(join(folder, 'hooks'));
    for (const name of [
      'hooks/check.sh',
      'hooks/check me.sh',
      'hooks/run',
      'hooks/rules.txt',
      'hooks/module.js',
      'data.json',
    ])
      await writeFile(join(folder, name), '');
  });
  after(() => rm(folder, { recursive: true }));

  const named = async (of: string | NamingCommand): Promise<readonly string[]> => {
    const command = typeof of === 'string' ? { command: of } : of;
    const variables = { CLAUDE_PROJECT_DIR: folder };
    const { files } = await scriptsOfCommand(command, { cwd: folder, home: '/home/someone', variables });
    return files.map((file) => (file.startsWith(folder) ? relative(folder, file) : file));
  };

  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['./hooks/check.sh --fast', ['hooks/check.sh']],
    ['hooks/run', ['hooks/run']],
    ['bash hooks/check.sh', ['hooks/check.sh']],
    ['node ./gone.js', ['gone.js']],
    ['"$CLAUDE_PROJECT_DIR"/hooks/check.sh', ['hooks/check.sh']],
    [`\${CLAUDE_PROJECT_DIR}/hooks/check.sh`, ['hooks/check.sh']],
    [`\${CLAUDE_PROJECT_DIR:-.}/hooks/check.sh`, ['hooks/check.sh']],
    ['"$(git rev-parse --show-toplevel)/hooks/check.sh"', ['hooks/check.sh']],
    ["'hooks/check me.sh'", ['hooks/check me.sh']],
    ['hooks/check\\ me.sh', ['hooks/check me.sh']],
    ['true && python3 x.py | tee out', ['x.py']],
    ['bash -c "./hooks/run now"', ['hooks/run']],
    ['FILE=hooks/run exec sh -c \'sh "$FILE"\'', ['hooks/run']],
    ['bash < hooks/run', ['hooks/run']],
    ['echo "$(cat hooks/run)"', ['hooks/run']],
    ['node --require=./hooks/run -e 1', ['hooks/run']],
    ['~/check.sh', ['/home/someone/check.sh']],
    ['env bash hooks/rules.txt data.json', ['hooks/rules.txt']],
    ['. hooks/rules.txt', ['hooks/rules.txt']],
    ['node hooks/module', ['hooks/module.js']],
    ['node -r ./hooks/module -e 1', ['hooks/module.js']],
    ['python3 -m hooks.gone data.json', []],
    ['NODE_OPTIONS="--require ./hooks/run" node -e 1', ['hooks/run']],
    [`bash "\${SCRIPT:-hooks/rules.txt}"`, ['hooks/rules.txt']],
    ['grep x hooks/rules.txt', []],
    ['cat data.json > hooks/run2', []],
    ['npm run lint', []],
    ['/usr/bin/env true', []],
    ['curl https://example.com/x.sh', []],
  ];
  for (const [line, files] of lines) {
    it(`of ${line}: ${files.join(', ') || 'none'}`, async () => assert.deepEqual(await named(line), files));
  }

  it('are looked for where a `cd` before them leads, too', async () => {
    assert.ok((await named('cd hooks && ./check.sh')).includes('hooks/check.sh'));
  });

  it('are found in the arguments of a program that is run without a shell', async () => {
    assert.deepEqual(await named({ command: 'node', args: ['hooks/check me.sh'] }), ['hooks/check me.sh']);
    assert.deepEqual(await named({ command: '/bin/sh', args: ['-c', 'exec ./hooks/run'] }), ['hooks/run']);
  });

  it('are found in the variables that a definition sets', async () => {
    const env = { BASH_ENV: './hooks/run', NODE_OPTIONS: '--import=./hooks/module.js' };
    assert.deepEqual(await named({ command: 'true', args: [], env }), ['hooks/module.js', 'hooks/run']);
  });

  it('are found in a line of PowerShell', async () => {
    const command = '& "$env:CLAUDE_PROJECT_DIR/hooks/check.sh"';
    assert.deepEqual(await named({ command, shell: 'powershell' }), ['hooks/check.sh']);
  });

  it('are said to be unknown where only the shell knows them', async () => {
    const place = { cwd: folder, home: '/home/someone', variables: {} };
    assert.deepEqual((await scriptsOfCommand({ command: '$WHERE/check.sh' }, place)).unknown, ['…/check.sh']);
    assert.deepEqual((await scriptsOfCommand({ command: 'bash "$SCRIPT"' }, place)).unknown, ['…']);
  });
});
