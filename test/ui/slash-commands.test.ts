import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { testIds } from '../../src/protocol/test-ids.ts';
import { userTexts } from './requests.ts';
import { Stage } from './stage.ts';

describe('slash commands', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('slash-commands');
    await write(
      '.github/prompts/review.prompt.md',
      '---\nargument-hint: "[branch]"\n---\nREVIEW THE BRANCH $1 WITH CARE',
    );
    await write('.claude/skills/migrate/SKILL.md', '---\ndescription: Migrations\n---\nHOW MIGRATIONS ARE WRITTEN');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('are found, completed and sent by the keyboard alone; the row shows what was typed', async function () {
    this.timeout(300_000);
    const { chat, window } = stage;
    const { keyboard } = window.page;
    await keyboard.type('/rev');
    await chat.byId(testIds.slashMenu).filter({ hasText: '/review' }).waitFor();
    await keyboard.press('Enter');
    await chat.byId(testIds.slashHint).filter({ hasText: '[branch]' }).waitFor();
    await keyboard.type('main');
    await keyboard.press('Enter');
    await chat.userMessages.filter({ hasText: '/review main' }).waitFor();
    await chat.turnsEnded(1);
    assert.deepEqual(userTexts(stage.modelRequests[0] ?? assert.fail()), ['REVIEW THE BRANCH main WITH CARE']);
  });

  it('steer, wait in the queue as they were typed, and a path stays a path', async function () {
    this.timeout(300_000);
    const { chat, server, window } = stage;
    const { keyboard } = window.page;
    server.script({ steps: [{ text: 'At work' }, { pause: 'rest' }] }, { steps: [{ text: 'Next' }] });
    await keyboard.type('/etc/hosts');
    await keyboard.press('Enter');
    await chat.answers.filter({ hasText: 'At work' }).waitFor();
    await keyboard.type('/migrate totals');
    await keyboard.press('Alt+Enter');
    await chat.chips.filter({ hasText: '/migrate totals' }).waitFor();
    stage.modelRequests[0]?.release('rest');
    await chat.turnsEnded(2);
    const [first, second] = stage.modelRequests;
    assert.deepEqual(userTexts(first ?? assert.fail()), ['/etc/hosts']);
    assert.match(userTexts(second ?? assert.fail()).at(-1) ?? '', /HOW MIGRATIONS ARE WRITTEN\s+totals$/);
    await chat.userMessages.filter({ hasText: '/migrate totals' }).waitFor();
  });

  it('of the editor are run and leave nothing in the conversation; Escape closes their list and stops nothing', async function () {
    this.timeout(300_000);
    const { chat, server, window } = stage;
    const { keyboard } = window.page;
    server.script({ steps: [{ text: 'At work' }, { pause: 'rest' }] });
    await chat.send('Work');
    await chat.answers.filter({ hasText: 'At work' }).waitFor();
    await keyboard.type('/ne');
    await chat.byId(testIds.slashMenu).filter({ hasText: '/new' }).waitFor();
    await keyboard.press('Escape');
    await chat.byId(testIds.slashMenu).waitFor({ state: 'detached' });
    await chat.byId(testIds.stop).waitFor();
    stage.modelRequests[0]?.release('rest');
    await chat.turnsEnded(1);
    assert.equal(await chat.byId(testIds.turnStopped).count(), 0);
    await keyboard.type('w');
    await keyboard.press('Enter');
    await chat.byId(testIds.empty).waitFor();
    assert.equal(stage.modelRequests.length, 1);
  });

  async function write(name: string, text: string): Promise<void> {
    const at = path.join(stage.folder, name);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, text);
  }
});
