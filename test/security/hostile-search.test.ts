import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Collection } from '../../src/agent/customisations/collection.ts';
import { NestedInstructions } from '../../src/agent/customisations/nested.ts';
import { SourceFiles } from '../../src/agent/customisations/source-files.ts';
import { configProblem } from '../../src/agent/plugins/config-schema.ts';
import { registeredTool } from '../../src/agent/tools/index.ts';
import { Workspace } from '../unit/tools/tool-context.ts';
import { longestGap } from './event-loop.ts';

const STARS = '*a*a*a*a*a*a*a*a*a*a*b';
const manyA = 'a'.repeat(33);

describe('patterns of a search', () => {
  let workspace: Workspace;
  let path: string | undefined;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
    path = process.env.PATH;
  });
  afterEach(async () => {
    process.env.PATH = path;
    await workspace.close();
  });

  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(workspace.path(name)), { recursive: true });
    await writeFile(workspace.path(name), text);
  };
  const without = (): void => {
    process.env.PATH = '/nonexistent';
  };

  it('C4a. a glob with many stars for file names: answered at once', async () => {
    await write(manyA, '');
    const gap = await longestGap(async () => {
      const { text } = await workspace.run('search_files', { target: 'files', pattern: STARS });
      assert.match(text, /No files/);
    });
    assert.ok(gap < 500, `${gap} ms`);
  });

  it('C4b. the same as the glob of a search in files, without ripgrep', async () => {
    without();
    await write(manyA, 'x');
    const gap = await longestGap(async () => {
      const { text } = await workspace.run('search_files', { pattern: 'x', glob: STARS });
      assert.match(text, /No matches/);
    });
    assert.ok(gap < 500, `${gap} ms`);
  });

  it('C4c. nested braces, groups and classes without an end: answered or refused in words at once', async () => {
    await write(manyA, '');
    const globs = [
      '{'.repeat(900),
      '{a,'.repeat(300),
      '+(+(+(a)))b*',
      '{a,b}'.repeat(190),
      '['.repeat(900),
      '**/'.repeat(300),
      '!(a|!(b))*',
    ];
    for (const pattern of globs) {
      const gap = await longestGap(() => workspace.run('search_files', { target: 'files', pattern }));
      assert.ok(gap < 500, `${pattern.slice(0, 12)} ${gap} ms`);
    }
  });

  it('C4d. a .gitignore of a repository with many stars: the walk goes on, and what it means is left out', async () => {
    without();
    await write('.git/HEAD', '');
    await write('.gitignore', `${'*a'.repeat(20)}*b\n${'**/a/'.repeat(100)}b\nleft-out\n`);
    await write(manyA.repeat(3), 'x');
    await write('left-out', 'x');
    const gap = await longestGap(async () => {
      const { text } = await workspace.run('search_files', { pattern: 'x' });
      assert.match(text, /aaa:1:x/);
      assert.doesNotMatch(text, /left-out/);
    });
    assert.ok(gap < 500, `${gap} ms`);
  });

  it('C4e. a pattern for lines that backtracks, without ripgrep: linear ones answer, others are ended and named', async () => {
    without();
    await write('evil.txt', `${`${'a'.repeat(200)}!\n`.repeat(500)}`);
    const gap = await longestGap(async () => {
      const linear = await workspace.run('search_files', { pattern: '^(((a+)+)+)+$' });
      assert.match(linear.text, /No matches/);
      const looking = await workspace.run('search_files', { pattern: '^(?=(((a+)+)+)+$)' });
      assert.equal(looking.status, 'error');
      assert.match(looking.text, /took more than 50 ms/);
    });
    assert.ok(gap < 500, `${gap} ms`);
  });

  it('C4f. a stop during a search of a large folder counts at once', async () => {
    without();
    await write('large.txt', 'abcabcabc\n'.repeat(400_000));
    const run = workspace.run('search_files', { pattern: '(a|b|c)*d' });
    const stopped = new Promise<number>((resolve) => {
      setTimeout(() => {
        workspace.stop.abort();
        resolve(performance.now());
      }, 50);
    });
    const { status } = await run;
    assert.equal(status, 'stopped');
    assert.ok(performance.now() - (await stopped) < 500);
  });

  it('C4g. the `applyTo` of instructions with many stars: answered at once, and one that cannot be judged gives no instructions', async () => {
    const of = (glob: string) => ({ name: 'x', path: workspace.path('x.md'), text: 'Do it.', appliesTo: [glob] });
    for (const [glob, told] of [
      [STARS, false],
      ['!(a)', false],
      [`{${'a,'.repeat(2_000)}b}`, false],
      ['a*', true],
    ] as const) {
      const nested = new NestedInstructions(
        new SourceFiles(),
        () => ({ instructions: [of(glob)] }) as unknown as Collection,
        () => undefined,
      );
      const gap = await longestGap(async () => {
        const text = await nested.of('s', [workspace.path(manyA)], [workspace.folder]);
        assert.equal(text !== undefined, told, glob.slice(0, 10));
      });
      assert.ok(gap < 500, `${glob.slice(0, 12)} ${gap} ms`);
    }
  });

  it('C4h. the `pattern` of a tool that an extension or plugin registers: judged in linear time, still refused where it does not fit', async () => {
    const tool = registeredTool({
      name: 'x',
      description: 'x',
      inputSchema: {
        type: 'object',
        properties: {
          pattern: { type: 'string', pattern: '^(((\\w+)+)+)+#$' },
          list: { type: 'array', items: { pattern: '^(?=((a+)+)+$)' } },
        },
      },
      invoke: async () => '',
    });
    const gap = await longestGap(async () => {
      assert.equal(tool.input.safeParse({ pattern: manyA }).success, false);
      assert.equal(tool.input.safeParse({ pattern: 'a#' }).success, true);
      assert.equal(tool.input.safeParse({ list: [`${manyA}!`] }).success, true);
    });
    assert.ok(gap < 500, `${gap} ms`);
  });

  it('C4i. the `pattern` of a setting of a plugin: judged in linear time', async () => {
    const gap = await longestGap(async () => {
      const of = (pattern: string) => configProblem({ type: 'string', pattern }, `${manyA}!`);
      assert.match(of('^(((\\w+)+)+)+#$') ?? '', /has to match/);
      assert.equal(of('^(?=(((a+)+)+)+$)'), undefined);
    });
    assert.ok(gap < 500, `${gap} ms`);
  });
});
