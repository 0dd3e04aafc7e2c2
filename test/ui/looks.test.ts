import assert from 'node:assert/strict';
import { testIds } from '../../src/protocol/test-ids.ts';
import { type Look, setChatWidth, setLook, takePicture, themes } from '../harness/index.ts';
import type { Answer } from '../model-server/index.ts';
import { Stage } from './stage.ts';

const narrow = 300;
const usual = 420;

/** Something that the chat can look like, made with the fake model alone. */
interface Scene {
  readonly name: string;
  readonly answers: readonly Answer[];
  /** Resolves when the scene stands. */
  set(stage: Stage): Promise<unknown>;
}

const prose = [
  'The total ignores `quantity`: it adds each **price** once. Two places matter:\n\n',
  '1. `src/cart.js` adds up the lines\n2. `test/cart.test.js` says what is meant\n\n',
  '```js\nexport function total(lines) {\n  return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);\n}\n```\n\n',
  '| file | what | a long third column that says more than fits |\n|---|---|---|\n| cart.js | sum | `line.price * line.quantity` |\n\n',
  'A_long_word_without_any_place_to_break_it_that_is_wider_than_a_narrow_side_bar_can_be.\n\n',
].map((text) => ({ text }));

const reads: Answer = {
  steps: [
    { text: 'I read both files.' },
    call('look-1', 'read_file', { path: 'src/cart.js' }),
    call('look-2', 'read_file', { path: 'test/cart.test.js' }),
    call('look-3', 'search_files', { pattern: 'quantity' }),
  ],
};
const problems: Answer = { steps: [call('look-4', 'list_files', { path: 'nowhere' })] };
const edit = call('look-5', 'patch', {
  path: 'src/cart.js',
  old_string: 'sum += line.price;',
  new_string: 'sum += line.price * line.quantity;',
});

const scenes: readonly Scene[] = [
  { name: 'empty', answers: [], set: ({ chat }) => chat.byId(testIds.empty).waitFor() },
  {
    name: 'streaming',
    answers: [{ steps: [{ reasoning: 'First I look.' }, ...prose, { text: 'And so' }, { pause: 'rest' }] }],
    async set({ chat }) {
      await chat.send('Why is the total wrong?');
      await chat.answers.filter({ hasText: 'And so' }).waitFor();
    },
  },
  {
    name: 'cards',
    answers: [reads, problems, { steps: prose }],
    async set({ chat }) {
      await chat.send('Find out why the total is wrong and tell me');
      await chat.turnsEnded(1);
    },
  },
  {
    name: 'approval',
    answers: [reads, { steps: [{ text: 'I change one line.' }, edit] }],
    async set({ chat }) {
      await chat.send('Mend the total');
      await chat.approval('look-5').waitFor();
    },
  },
  {
    name: 'waiting-shelf',
    answers: [{ steps: [{ text: 'I am on it.' }, { pause: 'rest' }] }],
    async set({ chat }) {
      await chat.send('Mend the total');
      await chat.answers.waitFor();
      await chat.send('use reduce, please');
      for (const [waiting, text] of [
        'then run the tests and tell me which failed before',
        'and a changelog',
      ].entries()) {
        await chat.send(text, 'Alt+Enter');
        await chat.chips.nth(waiting + 1).waitFor();
      }
      await chat.type('A text that is being written while the agent works');
    },
  },
  {
    name: 'stopped',
    answers: [reads, { steps: [{ text: 'I would now' }, { pause: 'rest' }] }],
    async set({ chat }) {
      await chat.send('Mend the total');
      await chat.answers.filter({ hasText: 'I would now' }).waitFor();
      await chat.send('and this for later', 'Alt+Enter');
      await chat.chips.waitFor();
      await chat.byId(testIds.stop).click();
      await chat.byId(testIds.turnStopped).waitFor();
      await chat.byId(testIds.held).waitFor();
    },
  },
  {
    name: 'failed',
    answers: [{ status: 401, body: { error: { message: 'Incorrect API key', type: 'invalid_request_error' } } }],
    async set({ chat }) {
      await chat.send('Mend the total');
      await chat.byId(testIds.turnFailed).waitFor();
    },
  },
];

describe('what the chat looks like', function () {
  this.timeout(300_000);
  let stage: Stage;

  before(async () => {
    stage = await Stage.start('looks');
    await setChatWidth(stage.window, usual);
  });
  after(async () => {
    await stage.configure('workbench.colorTheme', undefined);
    await stage.close();
  });

  for (const { name, answers, set } of scenes) {
    it(`${name}: fits into ${narrow} px and is drawn in every theme`, async () => {
      await stage.fresh();
      stage.server.script(...answers);
      await set(stage);
      for (const look of Object.keys(themes) as Look[]) {
        await setLook(stage.window, look);
        await takePicture(stage.window, `${name}-${look}`);
      }
      await setLook(stage.window, 'dark');
      await setChatWidth(stage.window, narrow);
      await takePicture(stage.window, `${name}-${narrow}`);
      const tooWide = await sticksOut(stage);
      await setChatWidth(stage.window, usual);
      assert.deepEqual(tooWide, []);
      stage.window.problems.assertNone();
    });
  }
});

function call(id: string, name: string, input: unknown) {
  return { call: { id, name, input } };
}

/** What reaches over the page's edge, unless something around it scrolls or cuts it. */
function sticksOut({ chat }: Stage): Promise<readonly string[]> {
  return chat.byId(testIds.root).evaluate((root) => {
    const width = document.documentElement.clientWidth;
    const isContained = (element: Element): boolean => {
      for (let at = element.parentElement; at && at !== root; at = at.parentElement) {
        if (at.matches('[data-testid="transcript"]')) return false;
        if (getComputedStyle(at).overflowX !== 'visible') return true;
      }
      return false;
    };
    const wide = [...root.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > width + 0.5 && !isContained(element),
    );
    const scrolls = document.documentElement.scrollWidth > width ? ['the page scrolls sideways'] : [];
    return [...scrolls, ...wide.map((element) => element.outerHTML.slice(0, 160))];
  });
}
