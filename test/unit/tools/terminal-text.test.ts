import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TerminalText } from '../../../src/agent/tools/terminal-text.ts';
import { Workspace } from './tool-context.ts';

/** What a reader holds at the end who follows every change. */
async function shown(...chunks: readonly string[]): Promise<string> {
  let text = '';
  const terminal = new TerminalText((piece, replaced) => {
    assert.ok(replaced <= text.length, `${replaced} of ${text.length} characters are replaced`);
    text = text.slice(0, text.length - replaced) + piece;
  });
  for (const chunk of chunks) await terminal.write(chunk);
  await terminal.end();
  return text;
}

describe('the text of a terminal', () => {
  for (const [what, written, expected] of [
    ['a line that is drawn over itself', '\r1%\r2%\r3%', '3%'],
    ['line ends of Windows, also with two returns', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['colours, which are no redraw', 'x\x1b[31mred\x1b[0m\n', 'xred\n'],
    ['a line that is erased to its end', '10% of it\r\x1b[Kdone\n', 'done\n'],
    ['a shorter text over a longer one', 'longer\rshort\n', 'shortr\n'],
    ['backspaces', 'abc\b\bX\n', 'aXc\n'],
    ['bars that are drawn upwards', 'a 1%\nb 1%\n\x1b[2Aa 9%\nb 9%\nend\n', 'a 9%\nb 9%\nend\n'],
    ['a screen that is cleared', 'old\n\x1b[2J\x1b[Hnew\n', 'new\n'],
    ['a line of 1,300 characters in one piece', `${'a'.repeat(1_300)}\nb\rc\n`, `${'a'.repeat(1_300)}\nc\n`],
    ['wide characters', '日本語 1\r日本語 2\n', '日本語 2\n'],
    ['a title and a hyperlink', '\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n', 'link\n'],
    ['an escape that never ends as it is', 'a\x1b[', 'a['],
  ] as const) {
    it(`I1a. shows ${what}`, async () => {
      assert.equal(await shown(written), expected);
    });
  }

  it('I1b. is the same wherever the output is cut', async () => {
    const piece = fc.constantFrom(
      'a',
      'bc',
      ' ',
      '\n',
      '\r',
      '\r\n',
      '\b',
      '\x1b[K',
      '\x1b[1A',
      '\x1b[2K',
      '\x1b[32m',
      '日',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(60), { maxLength: 5 }),
        async (pieces, cuts) => {
          const all = pieces.join('');
          const at = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
          const chunks = at.slice(1).map((end, index) => all.slice(at[index], end));
          assert.equal((await shown(...chunks)).trimEnd(), (await shown(all)).trimEnd());
        },
      ),
      { numRuns: 300 },
    );
  });

  it('I1g. leaves the place of the cursor behind what was erased', async () => {
    assert.equal(await shown('a\x1b[2K', 'a'), ' a');
  });

  it('I1c. keeps every line of a long plain output that follows a bar', async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`);
    const text = await shown(
      'start\n1%\r2%\r100%\n',
      ...lines.map((_, at) => lines.slice(at * 500, at * 500 + 500).join('')).filter((one) => one !== ''),
    );
    assert.equal(text, `start\n100%\n${lines.join('')}`);
  });
});

describe('the terminal tool', function () {
  this.timeout(20_000);
  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  it('I1d. gives the model and the card what stands there at the end, from 2,000 redraws a single line', async () => {
    let card = '';
    const command =
      'echo begun; i=0; while [ $i -lt 2000 ]; do printf "\\r%s of 2000" $i; i=$((i+1)); done; printf "\\rdone        \\n"; echo end';
    const output = (text: string, replaced = 0) => {
      card = card.slice(0, card.length - replaced) + text;
    };
    const { text } = await workspace.run('terminal', { command }, { output });
    assert.match(text, /^begun\ndone +\nend\n\[exit 0\]$/);
    assert.match(card, /^begun\ndone +\nend\n$/);
  });

  it('I1e. says in its description that variables do not last, and they do not', async () => {
    await workspace.run('terminal', { command: 'export LASTS=yes; mkdir sub; cd sub' });
    const { text } = await workspace.run('terminal', { command: 'echo "[$LASTS]"; pwd' });
    assert.match(text, /^\[\]\n.*\/sub\n/);
    const tool = workspace.registry.find('terminal');
    assert.match(tool?.description ?? '', /starts in the folder where it ended; variables.* do not last/);
  });

  it('I2a. gives commands what settings set, and lets a variable through that looks like a key', async () => {
    const before = process.env.HF_TOKEN;
    process.env.HF_TOKEN = 'of the host';
    try {
      const command = `echo "$SET_BY|$\{HOME-none}|$\{HF_TOKEN-none}"`;
      const env = { SET_BY: 'settings', HOME: null };
      const settings = { terminalTimeout: 180, env };
      assert.match((await workspace.run('terminal', { command }, { settings })).text, /^settings\|none\|none\n/);
      const letThrough = { ...settings, letThrough: ['HF_TOKEN'] };
      const passed = await workspace.run('terminal', { command }, { settings: letThrough });
      assert.match(passed.text, /^settings\|none\|of the host\n/);
    } finally {
      if (before === undefined) delete process.env.HF_TOKEN;
      else process.env.HF_TOKEN = before;
    }
  });
});
