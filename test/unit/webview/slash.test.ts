import assert from 'node:assert/strict';
import type { SlashEntry } from '../../../src/protocol/index.ts';
import { awaitsWords, findSlash, isBuiltIn, slashQuery } from '../../../webview/state/slash.ts';

const entry = (name: string, more: Partial<SlashEntry> = {}): SlashEntry => ({
  name,
  description: '',
  kind: 'prompt',
  source: 'workspace',
  ...more,
});

const names = (commands: readonly SlashEntry[]) => commands.map(({ name }) => name);

describe('which slash commands fit', () => {
  it('is asked only while a name is typed at the very beginning', () => {
    for (const draft of ['/', '/re', '/acme:review', '/größe'])
      assert.equal(slashQuery(draft), draft.slice(1), `${draft} is a name`);
    for (const draft of ['', 'a /re', ' /re', '/re ', '/etc/hosts', '//', '/re\nview', '/-x', '/a*'])
      assert.equal(slashQuery(draft), undefined, `${draft} is none`);
  });

  it('goes by the beginning of the name, then of its parts, then by what is in it or in its words', () => {
    const commands = [
      entry('pre-review'),
      entry('unreviewed'),
      entry('about', { description: 'Says what a review is' }),
      entry('acme:review'),
      entry('Review'),
      entry('other'),
    ];
    assert.deepEqual(names(findSlash(commands, 'rev')), ['Review', 'pre-review', 'acme:review', 'unreviewed', 'about']);
    assert.deepEqual(names(findSlash(commands, '')), names(commands));
  });

  it('knows a built-in one with and without words, and no longer name', () => {
    const commands = [entry('new', { kind: 'builtin' }), entry('newest')];
    assert.equal(isBuiltIn(commands, '/new'), true);
    assert.equal(isBuiltIn(commands, '/NEW a task'), true);
    assert.equal(isBuiltIn(commands, '/newest'), false);
    assert.equal(isBuiltIn(commands, 'say /new'), false);
    assert.equal(isBuiltIn(commands, '/new/file'), false);
  });

  it('says what a command takes until words are typed', () => {
    const commands = [entry('review', { argumentHint: '[branch]' }), entry('plain')];
    assert.equal(awaitsWords(commands, '/review ')?.argumentHint, '[branch]');
    for (const draft of ['/review', '/review main', '/plain ']) assert.equal(awaitsWords(commands, draft), undefined);
  });
});
