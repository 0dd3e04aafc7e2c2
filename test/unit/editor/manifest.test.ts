import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Entry {
  readonly command: string;
  readonly when?: string;
}

interface Contributes {
  readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
  readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
  readonly menus: Readonly<Record<string, readonly Entry[]>>;
}

/** What `contextValue` of a line can hold behind its kind. */
const states = {
  runs: ['active', 'waiting', 'changed', 'untrusted', 'disabled', 'broken', 'unsupported'],
  server: ['running', 'starting', 'stopped', 'failed', 'needs_sign_in'],
};

describe('the manifest', () => {
  let contributes: Contributes;
  let texts: Readonly<Record<string, string>>;

  before(async () => {
    const read = async (name: string) =>
      JSON.parse(await readFile(join(import.meta.dirname, '../../..', name), 'utf8'));
    ({ contributes } = (await read('package.json')) as { contributes: Contributes });
    texts = (await read('package.nls.json')) as Record<string, string>;
  });

  it('says in each empty view of Hooks and Plugins what could be there', () => {
    for (const { id } of contributes.views['midcourse-manage'] ?? []) {
      const welcome = contributes.viewsWelcome.find(({ view }) => view === id);
      assert.ok(welcome, id);
      assert.ok(texts[welcome.contents.replaceAll('%', '')], welcome.contents);
    }
  });

  it('asks in the menus of lines only for states that lines have', () => {
    for (const { command, when = '' } of contributes.menus['view/item/context'] ?? []) {
      const [, kind, alternatives] = /\^(hook|plugin|mcp|language)\\\.\(?([\w|]+)\)?/.exec(when) ?? [];
      if (kind === undefined || alternatives === undefined) continue;
      const known = kind === 'mcp' || kind === 'language' ? [...states.server, ...states.runs] : states.runs;
      for (const state of alternatives.split('|')) assert.ok(known.includes(state), `${command}: ${when}`);
    }
  });

  it('has in the title menu of the chat what is known to be about its session', () => {
    const ofTheChat = (contributes.menus['view/title'] ?? []).filter(
      ({ when = '' }) => when === 'view == midcourse.chat',
    );
    const source = readFileSync(join(import.meta.dirname, '../../../src/editor/commands/register.ts'), 'utf8');
    const [, listed = ''] = /ofTheView[^[]*\[([^\]]*)\]/.exec(source) ?? [];
    assert.deepEqual(
      [...listed.matchAll(/'(.*?)'/g)].map(([, id]) => id).sort(),
      ofTheChat.map(({ command }) => command).sort(),
    );
  });

  it('offers in the palette what is done with a hook, plugin or server only where there may be one', () => {
    const inMenus = new Set((contributes.menus['view/item/context'] ?? []).map(({ command }) => command));
    const palette = new Map((contributes.menus.commandPalette ?? []).map(({ command, when }) => [command, when]));
    for (const command of inMenus) assert.match(palette.get(command) ?? '', /midcourse\.manages/, command);
  });
});
