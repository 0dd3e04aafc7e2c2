import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { midcourse } from './support.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly enablement?: string }[];
    readonly keybindings: readonly { readonly command: string; readonly when: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
  };
}

interface Setting {
  readonly default?: unknown;
  readonly scope?: string;
  readonly order?: number;
  readonly markdownDescription?: string;
}

describe('activation and manifest', () => {
  let extension: vscode.Extension<unknown>;
  let manifest: Manifest;

  before(async () => {
    await midcourse();
    const found = vscode.extensions.getExtension('midcourse.midcourse');
    assert.ok(found);
    extension = found;
    manifest = extension.packageJSON as Manifest;
  });

  it('registers every declared command, and declares every registered one', async () => {
    const declared = manifest.contributes.commands.map(({ command }) => command).sort();
    const ofVSCode = /^midcourse\.(chat\.|.*\.(focus|open|resetViewLocation|removeView|toggleVisibility)$)/;
    const registered = (await vscode.commands.getCommands(true))
      .filter((command) => command.startsWith('midcourse.') && !ofVSCode.test(command))
      .sort();
    assert.deepEqual(registered, declared);
  });

  it('binds keys and menus to declared commands only', () => {
    const declared = new Set(manifest.contributes.commands.map(({ command }) => command));
    const used = [...manifest.contributes.keybindings, ...Object.values(manifest.contributes.menus).flat()];
    assert.deepEqual(
      used.filter(({ command }) => !declared.has(command)),
      [],
    );
  });

  it('asks only for context keys that it sets', async () => {
    const known = [
      'chatFocus',
      'sessionOpen',
      'turnRunning',
      'waiting',
      'hasQueue',
      'hasHeld',
      'steered',
      'canTakeOver',
      'agentsWork',
    ];
    const conditions = JSON.stringify(manifest.contributes.keybindings.map(({ when }) => when)).concat(
      JSON.stringify(manifest.contributes.commands.map(({ enablement }) => enablement ?? '')),
    );
    const asked = [...conditions.matchAll(/(?<!config\.)midcourse\.(\w+)/g)].map(([, key]) => key);
    assert.deepEqual(
      asked.filter((key) => key === undefined || !known.includes(key)),
      [],
    );
  });

  it('gives every setting a description, a default, an order and a scope', () => {
    const settings = manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
    const poor = settings.filter(
      ([, setting]) =>
        setting.default === undefined || !setting.scope || !setting.order || !setting.markdownDescription?.trim(),
    );
    assert.deepEqual(poor, []);
  });

  it('lets no workspace set providers, fallback models, allowed actions, the shell or the budgets', () => {
    const settings = Object.assign({}, ...manifest.contributes.configuration.map(({ properties }) => properties));
    const guarded = [
      'providers',
      'fallback',
      'budget.perTurn',
      'budget.perSession',
      'budget.perDay',
      'approvals.allowed',
      'terminal.shell',
      'terminal.timeout',
      'budget.requests',
      'agents.max',
      'agents.requests',
      'hooks.enabled',
      'hooks.cline',
      'plugins.streamReasoning',
      'webhooks',
      'mcp.servers',
      'mcp.parallel',
    ];
    for (const name of guarded) assert.match(settings[`midcourse.${name}`].scope, /^(machine|application)$/, name);
  });

  it('translates every string of the manifest', async () => {
    const raw = await readFile(join(extension.extensionPath, 'package.json'), 'utf8');
    const nls = JSON.parse(await readFile(join(extension.extensionPath, 'package.nls.json'), 'utf8'));
    const used = [...raw.matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key);
    assert.ok(used.length > 50);
    assert.deepEqual(
      used.filter((key) => key === undefined || !(key in nls)),
      [],
    );
    assert.deepEqual(
      Object.keys(nls).filter((key) => !used.includes(key)),
      [],
    );
  });

  it('lets Stop through a focused terminal', () => {
    const skipped = vscode.workspace.getConfiguration('terminal.integrated').get<string[]>('commandsToSkipShell');
    assert.ok(skipped?.includes('midcourse.stop'));
  });
});
