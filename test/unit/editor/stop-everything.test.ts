import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopEverything } from '../../../src/editor/stop-everything.ts';
import { StopSignal } from '../../../src/editor/stop-signal.ts';
import { AgentsRig, call, delegate } from '../children/agents-rig.ts';
import { event } from '../turn/rig.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** A window that listens in the folder. */
class Window {
  readonly signal: StopSignal;
  heard = 0;
  #wanted: { readonly count: number; readonly done: () => void } | undefined;

  constructor(folder: string, now: () => number = Date.now) {
    this.signal = new StopSignal({ folder, log, now, stopped: () => this.#stopped() });
  }

  /** Resolves when it has heard so many in all. */
  hears(count: number): Promise<void> {
    if (this.heard >= count) return Promise.resolve();
    return new Promise((done) => {
      this.#wanted = { count, done };
    });
  }

  #stopped(): void {
    this.heard++;
    if (this.#wanted && this.heard >= this.#wanted.count) this.#wanted.done();
  }
}

describe('stop everything, from window to window', () => {
  let folder: string;
  let windows: Window[];

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'midcourse-stop-')), 'not there yet');
    windows = [];
  });
  afterEach(async () => {
    for (const { signal } of windows) signal.dispose();
    await rm(join(folder, '..'), { recursive: true, force: true });
  });

  const open = async (now?: () => number): Promise<Window> => {
    const window = new Window(folder, now);
    windows.push(window);
    await window.signal.listening;
    return window;
  };

  it('reaches every other window each time, and never the one that gave it', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    await one.signal.give();
    await Promise.all([two.hears(1), three.hears(1)]);
    await two.signal.give();
    await Promise.all([one.hears(1), three.hears(2)]);
    // What one window gives is read by itself as well: by now its own has passed it.
    assert.deepEqual([one.heard, two.heard, three.heard], [1, 1, 2]);
  });

  it('is not heard by a window that opens afterwards, also when the file is touched again', async () => {
    const one = await open(() => 1_000);
    const two = await open(() => 1_000);
    await one.signal.give();
    await two.hears(1);
    const late = await open(() => 2_000);
    const file = join(folder, 'stop-everything.json');
    await writeFile(file, await readFile(file));
    const again = await open(() => 2_000);
    await again.signal.give();
    await Promise.all([late.hears(1), two.hears(2)]);
    assert.equal(late.heard, 1, 'the new one alone');
    assert.equal(two.heard, 2, 'an old one that is seen twice counts once');
  });

  it('reaches a window that began to listen before the clock was put back', async () => {
    const one = await open(() => 86_400_000);
    const two = await open(() => 1_000);
    await two.signal.give();
    await one.hears(1);
    assert.deepEqual([one.heard, two.heard], [1, 0]);
  });

  it('leaves a file that does not fit alone', async () => {
    const [one, two] = [await open(), await open()];
    await writeFile(join(folder, 'stop-everything.json'), '{"id": 3');
    await one.signal.give();
    await two.hears(1);
    assert.equal(two.heard, 1);
  });

  it('leaves nothing but the one file behind', async () => {
    const [one, two] = [await open(), await open()];
    await one.signal.give();
    await two.hears(1);
    assert.deepEqual(await readdir(folder), ['stop-everything.json']);
  });

  it('is told to nobody after the window has closed', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    two.signal.dispose();
    await one.signal.give();
    await three.hears(1);
    assert.equal(two.heard, 0);
  });

  it('is refused with the reason where nothing can be written', async () => {
    const file = join(folder, '..', 'a file');
    await writeFile(file, '');
    const window = new Window(join(file, 'folder'));
    windows.push(window);
    await window.signal.listening;
    await assert.rejects(window.signal.give(), /ENOTDIR|EEXIST|ENOENT/);
  });
});

describe('stop everything, in one window', () => {
  const hold = (text: string) => ({ steps: [{ text }, { pause: 'middle' }, { text: ' never seen' }] });
  let agents: AgentsRig;

  beforeEach(async () => {
    agents = await AgentsRig.start('openai-chat');
  });
  afterEach(async () => assert.deepEqual(await agents.close(), []));

  it('ends the turn, the agents and the background commands of each session, and counts them', async () => {
    agents.script('Work', {
      steps: [
        delegate('helper', 'Help', { background: true }),
        call('terminal', { command: 'sleep 7533', background: true }),
      ],
    });
    agents.script('Help', hold('Helping'));
    agents.script('Work', hold('Working'));
    agents.script('Ask', hold('Answering'));
    const { session } = agents;
    session.send('Work');
    const { id } = await event(session, 'approval.opened');
    session.answer(id, 'once');
    await (await agents.request('Work', 1)).paused('middle');
    await (await agents.request('Help', 0)).paused('middle');
    const other = agents.rig.agent.create();
    other.send('Ask');
    await (await agents.request('Ask', 0)).paused('middle');

    const stopped = await stopEverything(agents.rig.agent.live());

    assert.deepEqual(stopped, { turns: 2, agents: 1, commands: 1 });
    const results = await Promise.all([session.settled(), other.settled()]);
    assert.deepEqual(
      results.map((result) => result.stoppedBy),
      ['user', 'user'],
    );
    assert.equal((await agents.childIs('helper', 'interrupted')).mode, 'background');
    assert.deepEqual(
      session.processes().map((process) => process.state),
      ['killed'],
    );
  });

  it('reaches an agent of a session whose turn has ended', async () => {
    agents.script(
      'Work',
      { steps: [delegate('helper', 'Help', { background: true })] },
      { steps: [{ text: 'Done.' }] },
    );
    agents.script('Help', hold('Helping'));
    agents.session.send('Work');
    await agents.session.settled();
    await (await agents.request('Help', 0)).paused('middle');
    assert.deepEqual(await stopEverything(agents.rig.agent.live()), { turns: 0, agents: 1, commands: 0 });
    await agents.childIs('helper', 'interrupted');
  });

  it('counts nothing where nothing runs', async () => {
    assert.deepEqual(await stopEverything(agents.rig.agent.live()), { turns: 0, agents: 0, commands: 0 });
  });
});
