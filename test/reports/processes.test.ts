import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowAll, answersOnly, call, event, isAlive, replay, sent, statuses, UNTIL_GO } from './replay.ts';

describe('reports 2, processes', function () {
  this.timeout(60_000);
  const at = replay('anthropic');

  const pidIn = (name: string) => Number(readFileSync(join(at().rig.folder, name), 'utf8'));

  async function running(command: string, first = 'ready') {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command })] });
    session.send('Run');
    await event(session, 'tool', (tool) => tool.output?.includes(first) ?? false);
    return { rig, session };
  }

  it('B022: a stopped foreground command is gone with its group, and the row says who stopped it', async () => {
    const { rig, session } = await running('echo $$ > pid; echo ready; sleep 300 && touch DONE');
    session.stop();
    const result = await session.settled();
    assert.deepEqual(result.survivors, []);
    assert.ok(!isAlive(pidIn('pid')));
    assert.match(session.rows().find((row) => row.role === 'tool')?.displayText ?? '', /ready[\s\S]*stopped after/);
    await answersOnly(rig, session, 'next');
    assert.ok(!existsSync(join(rig.folder, 'DONE')));
  });

  it('B023: a background process that is polled outlives a stop on purpose: it is listed and can be ended', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script(
      { steps: [call('terminal', { command: 'echo $$ > pid; exec sleep 600', background: true })] },
      () => ({ steps: [call('process', { action: 'poll', id: session.processes()[0]?.id }), { pause: 'p' }] }),
    );
    session.send('Serve');
    await rig.server.request(1);
    session.stop();
    await session.settled();
    const [left] = session.processes();
    assert.equal(left?.state, 'running');
    await session.killProcess(left.id);
    assert.equal(session.processes()[0]?.state, 'killed');
    assert.ok(!isAlive(left.pid));
  });

  it('B025: a stop in a burst of short commands leaves no call that ended after the turn', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.fallback = { steps: [call('terminal', { command: 'echo $RANDOM >> rounds' })] };
    session.send('Loop');
    await rig.server.request(4);
    session.stop();
    await session.settled();
    const rounds = readFileSync(join(rig.folder, 'rounds'), 'utf8');
    const ended = session.events(0).findLast((seen) => seen.type === 'turn.ended');
    const late = session.events(ended?.seq ?? 0).filter((seen) => seen.type === 'tool');
    assert.deepEqual(late, []);
    rig.server.fallback = { steps: [{ text: 'ok' }] };
    await answersOnly(rig, session, 'next');
    assert.equal(readFileSync(join(rig.folder, 'rounds'), 'utf8'), rounds);
  });

  it('B026: a command is over when its shell is, though a child holds its output; the child is named', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: 'sleep 300 & echo $! > pid; echo hi; exit 0' })] });
    session.send('Run');
    const result = await session.settled();
    try {
      assert.equal(result.exitReason, 'answered');
      assert.match(sent(rig, 1), /hi[\s\S]*left these running: \d+ \(sleep/);
    } finally {
      process.kill(pidIn('pid'), 'SIGKILL');
    }
  });

  it('B028: stopping only the command tells the model who stopped it, with the output so far, and the turn goes on', async () => {
    const { rig, session } = await running('echo 1; echo 2; echo ready; sleep 300');
    const { callId } = await event(session, 'tool', (tool) => tool.state === 'running');
    assert.ok(session.stopCommand(callId));
    assert.equal((await session.settled()).exitReason, 'answered');
    assert.match(sent(rig, 1), /1\\n2\\nready\\n\[stopped after/);
    assert.doesNotMatch(sent(rig, 1), /timed out/);
  });

  it('B029, B031: a command that ignores every gentle signal is killed, and the thread is free meanwhile', async () => {
    const { session } = await running("trap '' INT TERM; echo $$ > pid; echo ready; while :; do sleep 0.1; done");
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 10);
    session.stop();
    const result = await session.settled();
    clearInterval(counting);
    assert.ok(turns > 20, `the event loop turned ${turns} times`);
    assert.deepEqual(result.survivors, []);
    assert.ok(!isAlive(pidIn('pid')));
    assert.deepEqual(statuses(session), ['stopped']);
  });

  it('B022: a child that left the group and the session ends with the command', async () => {
    const { session } = await running(
      "setsid sh -c 'echo $$ > pid; exec sleep 300' & until [ -s pid ]; do sleep 0.02; done; echo ready; wait",
    );
    session.stop();
    assert.deepEqual((await session.settled()).survivors, []);
    assert.ok(!isAlive(pidIn('pid')));
  });

  it('B032: a second command never disturbs one that goes on in the background', async () => {
    const { rig, session } = await running(`echo ready; ${UNTIL_GO}; echo BUILD_OK`);
    rig.server.script({ steps: [call('terminal', { command: 'echo second' })] }, { steps: [{ text: 'Both.' }] });
    const { callId } = await event(session, 'tool', (tool) => tool.state === 'running');
    assert.ok(session.moveToBackground(callId));
    assert.equal((await session.settled()).finalText, 'Both.');
    assert.equal(session.processes()[0]?.state, 'running');
    rig.write('go', '');
    const { process: over } = await event(session, 'process', (seen) => seen.process.state === 'exited');
    assert.match(over.tail, /BUILD_OK/);
  });

  it('B016, B125: the end of a background process after a stop is shown, starts nothing and is told with the next message', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script(
      { steps: [call('terminal', { command: `${UNTIL_GO}; echo OVER`, background: true })] },
      { steps: [{ text: 'Half' }, { pause: 'p' }] },
    );
    session.send('Start it');
    await event(session, 'delta', (delta) => delta.text === 'Half');
    session.stop();
    await session.settled();
    rig.write('go', '');
    await event(session, 'process', (seen) => seen.process.state === 'exited');
    assert.equal(session.state, 'idle');
    assert.equal(rig.server.requests.length, 2);
    assert.match((await answersOnly(rig, session, 'next')).bytes.toString(), /ended with exit code 0/);
  });

  it('B034: the output of a stopped command is never the answer to a later message, also after a reload', async () => {
    const { rig, session } = await running('echo ready; sleep 300; echo OLD-OUTPUT');
    session.stop();
    await session.settled();
    const again = rig.reopen(session.id);
    const request = await answersOnly(rig, again, 'good morning');
    assert.match(request.bytes.toString(), /stopped after/);
    assert.ok(!/\\nOLD-OUTPUT/.test(request.bytes.toString()));
  });

  it('B035: background processes end with the window', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: 'echo $$ > pid; exec sleep 600', background: true })] });
    session.send('Serve');
    await session.settled();
    const pid = session.processes()[0]?.pid ?? 0;
    assert.ok(isAlive(pid));
    await Promise.all(rig.processes.map((registry) => registry.killAll()));
    assert.ok(!isAlive(pid));
  });

  it('B037: a shell with a strange prompt does not hide the end of a command', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: "PS1='~ '; PROMPT_COMMAND='echo no'; echo ok" })] });
    session.send('Run');
    await session.settled();
    assert.match(sent(rig, 1), /ok\\n\[exit 0\]/);
  });

  it('B038: a silent command is neither over nor broken, and everything works meanwhile', async () => {
    const { rig, session } = await running(`echo ready; ${UNTIL_GO}`);
    assert.equal(session.queue('later').outcome, 'queued');
    await answersOnly(rig, rig.agent.create(), 'another session');
    assert.equal(session.state, 'running');
    session.stop();
    await session.settled();
    assert.deepEqual(statuses(session), ['stopped']);
  });

  it('B041: a named pipe is never read', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script(
      { steps: [call('terminal', { command: 'mkfifo pipe' })] },
      { steps: [call('read_file', { path: 'pipe' }), call('search_files', { pattern: 'x' })] },
    );
    session.send('Read it');
    assert.equal((await session.settled()).exitReason, 'answered');
    assert.deepEqual(statuses(session).slice(0, 2), ['success', 'error']);
  });
});
