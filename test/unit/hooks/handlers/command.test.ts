import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { bash, declared } from '../claude/payloads.ts';
import { HandlerRig } from './rig.ts';

let rig: HandlerRig;

beforeEach(async () => {
  rig = await HandlerRig.start();
});
afterEach(() => rig.close());

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function ended(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The text of a file of the rig, once something is in it. */
async function read(name: string): Promise<string> {
  for (;;) {
    const text = await readFile(join(rig.folder, name), 'utf8').catch(() => '');
    if (text.endsWith('\n')) return text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('command hooks', () => {
  it('read the event as one line of JSON and run in its folder', async () => {
    const { stdout } = await rig.run(rig.command('cat; pwd'));
    const [json = '', cwd] = (stdout ?? '').split('\n');
    equal(JSON.parse(json).tool_name, 'Bash');
    equal(cwd, rig.folder);
  });

  it('get neither keys nor the editor’s own variables, but those of their dialect', async () => {
    const environment = { ...process.env, OPENAI_API_KEY: 'k', MY_KEY: 'k', VSCODE_PID: '1', HARMLESS: 'yes' };
    const hook = rig.command('env', {}, { environment, secretEnv: () => ['MY_KEY'] });
    const lines = ((await rig.run(hook)).stdout ?? '').split('\n');
    const names = lines.map((line) => line.split('=')[0]);
    deepEqual(
      ['OPENAI_API_KEY', 'MY_KEY', 'VSCODE_PID', 'HARMLESS'].map((name) => names.includes(name)),
      [false, false, false, true],
    );
    ok(lines.includes(`CLAUDE_PROJECT_DIR=${rig.folder}`));
    ok(lines.includes('CLAUDE_EFFORT=medium'));
  });

  it('of a plugin get its folders under the names of all systems, fresh for each run', async () => {
    let root = '/plugins/one';
    const plugin = () => ({ root, data: '/data', options: { 'api-url': 'x' } });
    const hook = rig.command(
      'echo $CLAUDE_PLUGIN_ROOT $PLUGIN_ROOT $CLAUDE_PLUGIN_DATA $PLUGIN_DATA $CLAUDE_PLUGIN_OPTION_API_URL',
      {},
      { plugin },
    );
    equal((await rig.run(hook)).stdout, '/plugins/one /plugins/one /data /data x\n');
    root = '/plugins/two';
    match((await rig.run(hook)).stdout ?? '', /^\/plugins\/two /);
  });

  it('with args run without a shell, and the folders of a plugin are filled in', async () => {
    const plugin = () => ({ root: '/plug in', data: '/data' });
    const hook = rig.command('printf', { args: ['%s|', `$\{CLAUDE_PLUGIN_ROOT}/x`, '$HOME', '; ls'] }, { plugin });
    equal((await rig.run(hook)).stdout, '/plug in/x|$HOME|; ls|');
  });

  it('that do not read their input are no error', async () => {
    const hook = rig.hook(declared('PreToolUse', { command: 'exec <&-; echo done' }));
    const reply = await hook.run({ ...rig.payload('x'.repeat(2_000_000)) }, new AbortController().signal);
    deepEqual([reply.exitCode, reply.stdout], [0, 'done\n']);
  });

  it('that write without end are read to a bound, and 10,000 characters are kept', async () => {
    const { stdout } = await rig.run(rig.command('head -c 3000000 /dev/zero | tr "\\0" x'));
    equal(stdout?.length, 10_000);
  });

  it('L3a. that say {"async": true} in their first line are not waited for, and what they say is no answer', async () => {
    const json = (of: object) => JSON.stringify(of).replaceAll('"', '\\"');
    const line = json({ async: true, asyncTimeout: 60_000 });
    const deny = json({ decision: 'block', reason: 'late' });
    const hook = rig.command(`mkfifo go; echo "${line}"; echo $$ >pid; cat go; echo "${deny}"; echo done >after`);
    const reply = await rig.run(hook);
    deepEqual([reply.stdout, reply.answer], ['', {}]);
    const pid = Number(await read('pid'));
    ok(isRunning(pid), 'it goes on');
    await writeFile(join(rig.folder, 'go'), '');
    equal(await read('after'), 'done\n');
  });

  it('L3b. that go on are ended after the time that they asked for, and with the window', async () => {
    const late = rig.command('echo $$ >first; echo \'{"async": true, "asyncTimeout": 50}\'; sleep 60');
    const quiet = rig.command('echo $$ >second; echo \'{"async": true}\'; sleep 60');
    await rig.run(late);
    await ended(Number(await read('first')));
    await rig.run(quiet);
    const pid = Number(await read('second'));
    equal(isRunning(pid), true);
    await rig.processes.dispose();
    equal(isRunning(pid), false);
  });

  it('L3c. that say so as their last words answer nothing', async () => {
    const reply = await rig.run(rig.command(`printf '{"async": true}'`));
    deepEqual([reply.stdout, reply.answer, reply.warnings], ['', {}, undefined]);
  });

  it('that leave a child behind with the pipe open end with their shell', async () => {
    const { stdout, exitCode } = await rig.run(rig.command('sleep 30 & echo $!'));
    const pid = Number(stdout);
    equal(exitCode, 0);
    ok(isRunning(pid), 'what it started on purpose goes on');
    process.kill(pid);
  });

  it('past their limit are ended with their children, and nobody waits for their end', async () => {
    const hook = rig.command('trap "" TERM INT; echo $$ >shell; sleep 60 & echo $! >child; wait; sleep 60', {
      timeout: 0.3,
    });
    const failure = await rig.failure(hook);
    equal(failure.kind, 'timeout');
    match(failure.message, /300 ms/);
    await Promise.all(
      ['shell', 'child'].map(async (name) => ended(Number(await readFile(join(rig.folder, name), 'utf8')))),
    );
  });

  it('are ended when nobody needs their answer any more', async () => {
    const controller = new AbortController();
    const failing = rig.failure(rig.command('echo $$ >pid; sleep 60'), controller.signal);
    let pid = 0;
    while (pid === 0) pid = Number(await readFile(join(rig.folder, 'pid'), 'utf8').catch(() => '0'));
    controller.abort();
    equal((await failing).kind, 'aborted');
    await ended(pid);
  });

  it('are ended with the window, and none starts after that', async () => {
    const failing = rig.failure(rig.command('echo $$ >pid; sleep 60'));
    let pid = 0;
    while (pid === 0) pid = Number(await readFile(join(rig.folder, 'pid'), 'utf8').catch(() => '0'));
    await rig.processes.dispose();
    equal(isRunning(pid), false);
    equal((await failing).kind, 'aborted');
    equal((await rig.failure(rig.command('true'))).kind, 'aborted');
  });

  it('whose folder is gone say so', async () => {
    const hook = rig.command('true');
    const failure = await hook.run({ ...bash('ls'), cwd: '/not/there' }, new AbortController().signal).catch((e) => e);
    match(failure.message, /its folder \/not\/there is not there/);
  });

  it('that answer at length leave a file with all of it', async () => {
    const text = 'x'.repeat(12_000);
    await writeFile(
      join(rig.folder, 'long.json'),
      JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: text } }),
    );
    const { answer } = await rig.run(rig.command('cat long.json'));
    const path = /All of them are in (.*)\]$/.exec(answer.context ?? '')?.[1] ?? '';
    ok((answer.context ?? '').length < 3_000);
    equal(await readFile(path, 'utf8'), text);
  });

  it('that deny in the user’s place at length tell the model the beginning, and people some of it', async () => {
    const message = 'x'.repeat(12_000);
    const said = { decision: { behavior: 'deny', message, interrupt: true } };
    await writeFile(join(rig.folder, 'long.json'), JSON.stringify({ hookSpecificOutput: said }));
    const hook = rig.hook(declared('PermissionRequest', { command: 'cat long.json' }));
    const { answer } = await rig.run(hook);
    match(answer.permission?.reason ?? '', /^x{2000}\n\[… The hook wrote 12000 characters/);
    equal(answer.stopTurn?.reason.length, 10_000);
  });

  it('that put a text of more than 100,000 characters in the place of a result leave a file with it', async () => {
    const answer = (length: number) =>
      `printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"'; head -c ${length} /dev/zero | tr '\\0' x; printf '"}}'`;
    const result = { ...rig.payload(), tool_result: 'a', status: 'success', duration_ms: 1 } as const;
    const replaced = async (length: number) => {
      const hook = rig.hook(declared('PostToolUse', { command: answer(length) }));
      return (await hook.run(result, new AbortController().signal)).answer.replace ?? '';
    };
    equal((await replaced(100_000)).length, 100_000);
    ok((await replaced(100_001)).length < 3000);
  });

  it('whose answer is too long to be read have failed, and say so', async () => {
    const flood = `head -c 2000000 /dev/zero | tr '\\0' x`;
    const hook = rig.command(`printf '{"decision":"block","reason":"'; ${flood}; printf '"}'`);
    const { kind, message } = await rig.failure(hook);
    deepEqual([kind, message], ['output', 'Its answer is longer than 1 MB, and was not read.']);
    const refuses = rig.command(`printf '{"a":"'; ${flood}; echo no >&2; exit 2`);
    match((await rig.run(refuses)).answer.block?.reason ?? '', /no/);
  });

  it('that are async are not waited for', () => {
    equal(rig.command('true', { async: true }).answers, false);
  });

  it('with a script in a folder with spaces run when it is quoted', async () => {
    const path = join(rig.folder, 'a b.sh');
    await writeFile(path, '#!/bin/sh\necho ran\n');
    await chmod(path, 0o755);
    equal((await rig.run(rig.command('"$CLAUDE_PROJECT_DIR"/"a b.sh"'))).stdout, 'ran\n');
  });
});
