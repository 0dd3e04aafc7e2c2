import assert from 'node:assert/strict';
import { event } from '../unit/turn/rig.ts';
import { CodexRig, card, processes, run, said } from './codex-rig.ts';

/** Codex passes on nothing of what is written in a command's first moment, so it says so again and again. */
const ECHOING = 'while :; do echo up; sleep 0.2; done';

describe('control of a turn on codex app-server', () => {
  let codex: CodexRig;

  before(async () => {
    codex = await CodexRig.start();
  });

  beforeEach(() => codex.server.reset());

  after(() => codex.close());

  afterEach(() => {
    assert.deepEqual(
      codex.server.requests.flatMap((request) => request.invalid ?? []),
      [],
    );
  });

  it('delivers a steer behind the command that ran, into the same turn of Codex', async () => {
    codex.server.script({ steps: [run('sleep 0.5; echo ran')] });
    // Codex asks its model again as soon as the command has ended, with or without what the user said meanwhile.
    codex.server.fallback = (request) => {
      const steered = said(request).includes('user: Answer in French');
      return { steps: steered ? [{ text: 'Fait.' }] : [{ text: 'Done' }, { delay: 200 }] };
    };
    const session = codex.session();
    session.send('Run it');
    session.answer((await card(session)).id, 'once');
    await event(session, 'tool', ({ state }) => state === 'running');
    assert.equal(session.steer('Answer in French').outcome, 'steering');
    const result = await session.settled();
    assert.match(result.finalText, /Fait\.$/);
    const heard = said(codex.server.requests.at(-1) ?? (await codex.server.request(1)));
    const output = heard.findIndex((line) => /^output [\s\S]*ran/.test(line));
    assert.ok(output >= 0 && heard.indexOf('user: Answer in French') > output);
    assert.equal(heard.filter((line) => line.includes('Answer in French')).length, 1);
    assert.equal(result.requests, 2);
  });

  it('closes an open card for a steer: the call is refused, and Codex reads what came instead', async () => {
    codex.server.script({ steps: [run('touch never')] }, { steps: [{ text: 'Listing.' }] });
    const session = codex.session();
    session.send('Touch it');
    await card(session);
    session.steer('List instead');
    const result = await session.settled();
    assert.equal(result.finalText, 'Listing.');
    const heard = said(await codex.server.request(1));
    assert.ok(heard.some((line) => /output .*[Rr]ejected/.test(line)));
    assert.equal(heard.filter((line) => line.includes('List instead')).length, 1);
  });

  it('begins a new turn for a text that came during the last words of the one before', async () => {
    codex.server.script({ steps: [{ text: 'First.' }, { pause: 'there' }] }, { steps: [{ text: 'Second.' }] });
    const session = codex.session();
    session.send('Go');
    await event(session, 'delta', ({ text }) => text === 'First.');
    session.steer('And now?');
    (await codex.server.request(0)).release();
    const { result } = await event(session, 'turn.ended', (ended) => ended.result.finalText === 'Second.');
    assert.equal(result.exitReason, 'answered');
    const heard = said(await codex.server.request(1));
    assert.deepEqual(heard.slice(-3), ['user: Go', 'assistant: First.', 'user: And now?']);
  });

  it('stops in mid-text at once, and the next message is a new turn on the same thread', async () => {
    codex.server.script(
      { steps: [{ text: 'Once upon' }, { pause: 'there' }, { text: ' a time' }] },
      { steps: [{ text: 'Yes.' }] },
    );
    const session = codex.session();
    session.send('Tell me a story');
    await event(session, 'delta', ({ text }) => text === 'Once upon');
    session.stop();
    const stopped = await session.settled();
    assert.equal(stopped.exitReason, 'interrupted_by_user');
    assert.equal((await (await codex.server.request(0)).closed).by, 'client');
    session.send('Are you there?');
    assert.equal((await session.settled()).finalText, 'Yes.');
    const heard = said(await codex.server.request(1));
    assert.ok(heard.includes('user: Tell me a story'));
    assert.ok(heard.some((line) => line.includes('Once upon')));
    assert.match(heard.at(-1) ?? '', /Are you there\?$/);
  });

  it('leaves no process behind when it is stopped during a command', async () => {
    codex.server.script({
      steps: [run(`trap "" INT; sleep 61.7 & setsid sleep 61.7 & ${ECHOING}`)],
    });
    const session = codex.session();
    session.send('Run it');
    session.answer((await card(session)).id, 'once');
    await event(session, 'tool', ({ output }) => output?.includes('up') === true);
    assert.ok(processes('sleep 61.7').length >= 2);
    session.stop();
    const result = await session.settled();
    assert.equal(result.exitReason, 'interrupted_by_user');
    assert.deepEqual(result.survivors, []);
    assert.deepEqual(processes('sleep 61.7'), []);
    const row = session.rows().find(({ role }) => role === 'tool');
    assert.equal(row?.status, 'stopped');
    assert.match(row?.displayText ?? '', /up\n(Terminated\n)?\[stopped, may have run in part\]/);
  });

  it('ends the turn of Codex when it is stopped while a card is open', async () => {
    codex.server.script({ steps: [run('touch never')] }, { steps: [{ text: 'Back.' }] });
    const session = codex.session();
    session.send('Touch it');
    await card(session);
    session.stop();
    await session.settled();
    session.send('Go on');
    assert.equal((await session.settled()).finalText, 'Back.');
    assert.equal(codex.server.requests.length, 2);
  });

  it('moves a command to the background for a redirect, and asks Codex anew at once', async () => {
    codex.server.script({ steps: [run(`sleep 62.3 & ${ECHOING}`)] }, { steps: [{ text: 'Redirected.' }] });
    const session = codex.session();
    session.send('Run it');
    session.answer((await card(session)).id, 'once');
    await event(session, 'tool', ({ output }) => output?.includes('up') === true);
    session.redirect('Do something else');
    const result = await session.settled();
    assert.equal(result.finalText, 'Redirected.');
    const [background] = session.processes();
    assert.equal(background?.state, 'running');
    assert.equal(background?.command, `sleep 62.3 & ${ECHOING}`);
    await session.killProcess(background?.id ?? '');
    assert.deepEqual(processes('sleep 62.3'), []);
  });

  it('keeps what the user moved to the background through a stop', async () => {
    codex.server.script({ steps: [run(`sleep 63.1 & ${ECHOING}`, { yield_time_ms: 30_000 })] });
    const session = codex.session();
    session.send('Run it');
    session.answer((await card(session)).id, 'once');
    const { callId } = await event(session, 'tool', ({ output }) => output?.includes('up') === true);
    session.moveToBackground(callId);
    await event(session, 'tool', ({ state }) => state === 'yielded');
    session.stop();
    await session.settled();
    assert.equal(session.processes()[0]?.state, 'running');
    assert.ok(processes('sleep 63.1').length > 0);
    await session.killProcess(session.processes()[0]?.id ?? '');
    assert.deepEqual(processes('sleep 63.1'), []);
  });

  it('shows a command that Codex itself leaves running as a background process', async () => {
    codex.server.script(
      { steps: [run(`sleep 64.9 & ${ECHOING}`, { yield_time_ms: 400 })] },
      { steps: [{ text: 'The server runs.' }] },
    );
    const session = codex.session();
    session.send('Start the server');
    session.answer((await card(session)).id, 'once');
    const result = await session.settled();
    assert.equal(result.finalText, 'The server runs.');
    assert.equal(session.rows().find(({ role }) => role === 'tool')?.status, 'yielded');
    assert.equal(session.processes()[0]?.state, 'running');
    await session.killProcess(session.processes()[0]?.id ?? '');
    assert.deepEqual(processes('sleep 64.9'), []);
  });

  it('asks for two commands of one answer by two cards', async () => {
    codex.server.script({ steps: [run('echo first'), run('echo second')] }, { steps: [{ text: 'Both.' }] });
    const session = codex.session();
    session.send('Run both');
    const first = await card(session);
    session.answer(first.id, 'once');
    const second = await card(session);
    assert.notEqual(second.id, first.id);
    session.answer(second.id, 'once');
    assert.equal((await session.settled()).finalText, 'Both.');
    // On a busy machine the second begins when the first runs already, whose card then goes on below it.
    assert.deepEqual(
      session.rows().flatMap(({ role, status }) => (role === 'tool' && status !== 'yielded' ? [status] : [])),
      ['success', 'success'],
    );
  });

  it('tells Codex of a no while another command still runs, and why as soon as it can', async () => {
    codex.server.script({
      steps: [run(`sleep 67.9 & ${ECHOING}`, { yield_time_ms: 500 }), run('touch never')],
    });
    codex.server.fallback = { steps: [{ text: 'One of two.' }] };
    const session = codex.session();
    session.send('Run both');
    for (let answered = 0; answered < 2; answered++) {
      const { id, command } = await card(session);
      session.answer(id, command?.includes('never') ? 'deny' : 'once', 'not that one');
    }
    // Codex goes on once all calls of the answer have ended or been refused; the command by itself never ends.
    assert.match(said(await codex.server.request(1)).join('\n'), /[Rr]ejected/);
    const result = await session.settled();
    assert.match(result.finalText, /One of two\.$/);
    session.send('And now?');
    await event(session, 'turn.ended', ({ turnId }) => turnId !== result.turnId);
    const heard = said(codex.server.requests.at(-1) ?? (await codex.server.request(1)));
    assert.equal(heard.filter((line) => line.includes('not that one')).length, 1);
    for (const { id } of session.processes()) await session.killProcess(id);
    assert.deepEqual(processes('sleep 67.9'), []);
  });

  it('opens one thread for a session that is stopped and goes on while it is being opened', async () => {
    codex.server.script({ steps: [{ text: 'Yes.' }] });
    const session = codex.session();
    session.send('First');
    session.stop();
    await session.settled();
    session.send('Second');
    const { result } = await event(session, 'turn.ended', (ended) => ended.result.finalText === 'Yes.');
    assert.equal(result.exitReason, 'answered');
    const heard = said(await codex.server.request(0));
    assert.equal(codex.server.requests.length, 1);
    assert.match(heard.join('\n'), /First[\s\S]*Second/);
  });
});
