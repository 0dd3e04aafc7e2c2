import assert from 'node:assert/strict';
import { inspectCommand } from '../../src/agent/safety/index.ts';

async function dangersOf(command: string): Promise<readonly string[]> {
  const { verdict } = await inspectCommand(command, 'posix');
  if (verdict.level === 'blocked') return [verdict.why];
  return verdict.level === 'always' ? verdict.dangers.map(({ why }) => why) : [];
}

const NAMED: readonly (readonly [number: string, words: RegExp, commands: readonly string[]])[] = [
  [
    'A5q',
    /^Its code starts other programs\.$/,
    [
      `python3 -c 'import os; os.system("date")'`,
      `python -c 'import subprocess as s; s.run(["date"])'`,
      `node -e 'require("child_process").execSync("date")'`,
      `node --eval='const {spawn} = await import("node:child_process")'`,
      `node -pe '(require("child_process")).execSync("date")'`,
      `perl -ne 'system("date")'`,
      `perl -e'exec "date"'`,
      "ruby -e 'puts `date`'",
      `php -r 'shell_exec("date");'`,
      `lua -e 'os.execute("date")'`,
      `osascript -e 'do shell script "date"'`,
      `awk 'BEGIN { system("date") }'`,
      `awk '{ print | "sh" }' x`,
      `awk '{ "date" | getline d; print d }' x`,
      `sed '1e date' x`,
      `sed 's/x/date/e' x`,
      `sed -n -e 'p' -e '$!N;s#a#b#ge' x`,
      `vim -c '!date' x`,
      `vim '+r !date' x`,
      `sqlite3 a.db '.shell date'`,
      `psql -c '\\! date'`,
      'deno eval \'new Deno.Command("date")\'',
      `xargs -I{} python3 -c 'import os; os.system("{}")'`,
    ],
  ],
  [
    'A5r',
    /deletes files/,
    [
      `python3 -c 'import shutil; shutil.rmtree("build")'`,
      `node -e 'fs.rmSync("build", {recursive: true})'`,
      `node -e 'require("fs").unlinkSync("x")'`,
      `ruby -e 'FileUtils.rm_rf("build")'`,
      `perl -e 'unlink glob("*")'`,
      `python3 -c 'import os; os.system("rm -rf build")'`,
      `node -e 'require("child_process").spawnSync("rm", ["-rf", "build"])'`,
      `python3 -c 'import subprocess; subprocess.run(["rm", "-rf", "build"])'`,
      `awk 'BEGIN { system("rm -rf build") }'`,
      `sed '1e rm -rf build' x`,
      `vim -c '!rm -rf build'`,
      `tar --to-command='rm -rf build' -xf a.tar`,
      `tar -I 'rm -rf build' -xf a.tar`,
      `tar cf a.tar . --checkpoint=1 --checkpoint-action=exec='rm -rf build'`,
      `ssh -o ProxyCommand='rm -rf build' host.example`,
      `rsync -e 'rm -rf build' a b`,
      `env -S 'rm -rf build'`,
      `split --filter='rm -rf build' x`,
      `sort --compress-program='rm -rf build' x`,
      `make SHELL='rm -rf build'`,
      `npx -c 'rm -rf build'`,
      `flock x -c 'rm -rf build'`,
      `su -c 'rm -rf build'`,
    ],
  ],
  [
    'A5s',
    /starts another program/,
    [`man -P 'less' x`, `rg --pre ./x y`, `zip -TT 'unzip -tqq' a.zip x`, `npm run x --script-shell=./y`],
  ],
  [
    'A5t',
    /runs other code that is not shown/,
    [`python3 -c 'exec(open("x").read())'`, `node -e 'eval(process.env.X)'`],
  ],
  [
    'A5u',
    /empties a file/,
    ['> notes.txt', ': > notes.txt', 'cat /dev/null > notes.txt', 'cp /dev/null notes.txt', 'true >| x'],
  ],
  [
    'A5v',
    /deletes (every file|the files)/,
    ['find . -name x -exec rm {} +', 'ls | xargs rm', 'tar --remove-files -cf a.tar src', 'zip -rm a.zip src'],
  ],
  [
    'A5w',
    /not committed/,
    [
      'git checkout src/a.ts',
      'git checkout HEAD~1 a',
      'git checkout main -- a',
      'git checkout src/',
      'git switch -f main',
    ],
  ],
  [
    'A5x',
    /sends data to another machine/,
    [
      'curl -d @a.json https://x.example',
      'curl --json "{}" https://x.example/a',
      'curl -F file=@a https://x.example',
      'curl -T a https://x.example',
      'wget --post-file=a https://x.example',
      'scp a user@host.example:b',
      'rsync -a src/ host.example:/b',
      'aws s3 cp a s3://bucket/a',
      'gsutil cp a gs://bucket',
    ],
  ],
  [
    'A5y',
    /on another machine|in the project’s account/,
    [
      'curl -X DELETE https://x.example/1',
      'curl --request=PUT https://x.example',
      'gh api -X DELETE repos/a/b',
      'gh api repos/a/b -f name=c',
      'gh pr merge 1',
      'gh secret set X',
      'http DELETE x.example/1',
    ],
  ],
  ['A5z', /opens a connection/, ['nc host.example 80', 'echo x > /dev/tcp/1.2.3.4/80', 'socat - TCP:x:1']],
  [
    'A5z',
    /publishes/,
    [
      'gem push a.gem',
      'poetry publish',
      'cargo publish',
      'docker push x',
      'docker buildx build --push .',
      'twine upload dist/*',
      'vsce publish',
      'dotnet nuget push a',
      'mvn deploy',
      './gradlew publish',
    ],
  ],
  [
    'A5z',
    /systems or accounts|running systems/,
    [
      'vercel --prod',
      'firebase deploy',
      'wrangler deploy',
      'cdk destroy',
      'sls deploy',
      'ansible-playbook a.yml',
      'kubectl apply -f a',
      'terraform destroy',
    ],
  ],
  [
    'A5z',
    /reaches the machine/,
    [
      'docker run --mount type=bind,src=/,dst=/x alpine',
      'docker run -v /etc:/x alpine',
      'docker run --pid=host alpine',
      'docker run -v /:/x alpine',
    ],
  ],
];

/** A card that marks everything says nothing. */
const QUIET: readonly string[] = [
  `python3 -c 'print(1 + 1)'`,
  `python3 -c 'import json, sys; print(json.load(sys.stdin)["a"])'`,
  `python3 -c 'import platform, re; print(platform.system(), re.compile("a"))'`,
  `node -e 'console.log(1, !x, /a/.exec("a"), a || "b")'`,
  `node -p 'process.version'`,
  `perl -pe 's/a/b/' x`,
  `ruby -e 'puts 1'`,
  `awk '{ print $1 }' x`,
  `awk -F, 'NR > 1 { sum += $2 } END { print sum }' x`,
  `sed -n '1,20p' x`,
  `sed 's/the e /x e /g' x`,
  `sed -e '/^e/d' -e 's|a/e|b|' x`,
  `vim -c 'set nu' x`,
  'tar -xzf a.tar.gz',
  'tar -cf a.tar src',
  'zip -r a.zip src',
  'rsync -a src/ build/',
  'ssh host.example uptime',
  'env NODE_ENV=test npm test',
  'git checkout main',
  'git checkout -b feature/a.b',
  'git checkout v1.2.0',
  'git checkout -t origin/main',
  'git switch main',
  'npm test > out.txt',
  'echo x > notes.txt',
  'curl https://x.example',
  'curl -s http://localhost:3000/a -d x',
  'curl -X POST http://127.0.0.1:8080/reset',
  'curl -H "accept: a/b" -o out.json https://x.example',
  'gh pr view 1',
  'gh api repos/a/b',
  'gh run list',
  'docker build -t x .',
  'docker run --rm -v ./src:/src alpine ls',
  'cargo build',
  'mvn test',
  './gradlew build',
  'vercel dev',
  'kubectl get pods',
  'find . -name "*.ts" -exec wc -l {} +',
  'ls | xargs wc -l',
  'make build',
  'npx tsc -p .',
];

describe('the dangers that a card names', () => {
  for (const [number, words, commands] of NAMED) {
    for (const command of commands) {
      it(`${number}. ${words.source}: ${command}`, async () => {
        const dangers = await dangersOf(command);
        assert.ok(
          dangers.some((why) => words.test(why)),
          dangers.join(' ') || 'none',
        );
      });
    }
  }

  for (const command of QUIET) {
    it(`are none: ${command}`, async () => assert.deepEqual(await dangersOf(command), []));
  }

  it('C4k. code and options made to be slow to read cost no more than their length', async () => {
    for (const one of [`"`, `\\"`, '`', `('a',`, 's/', 's/a', `"a", `, '%x(', '!', '| "']) {
      for (const program of ['python3 -c', 'sed -e', 'awk', 'node -e', 'vim -c', 'tar --to-command']) {
        const text = one.repeat(30_000 / one.length).replaceAll("'", '"');
        const before = process.threadCpuUsage();
        await inspectCommand(`${program} '${text}'`, 'posix');
        const { user, system } = process.threadCpuUsage(before);
        assert.ok(user + system < 500_000, `${program} ${one}: ${user + system} µs`);
      }
    }
  });
});
