import { relative } from 'node:path';
import type { HookPayload } from '../../hooks-api.ts';
import { lineAt } from '../declarations/json-text.ts';
import type { DeclaredHook, DialectRules } from '../hooks/dialects/types.ts';
import { type HookParts, hookOf } from '../hooks/handlers/index.ts';
import { type Dialect, type Hook, HookFailure, wantedFirst } from '../hooks/index.ts';
import type { Plugin, PluginHooks } from './types.ts';

/** A hook that a plugin's file declares, whether it can run or not. */
export interface PluginHook {
  readonly declared: DeclaredHook;
  readonly dialect: Dialect;
  readonly path: string;
  /** 1-based; absent inside a manifest. */
  readonly line?: number;
  /** Absent: it cannot run, as its declaration says. */
  readonly hook?: Hook;
}

export interface PluginHooksParts {
  readonly hooks: HookParts;
  rulesOf(dialect: Dialect): DialectRules;
  /** Absolute; exists. */
  readonly data: string;
  readonly options: Readonly<Record<string, string>>;
  /** Asked before each run. */
  mayRun(): Promise<boolean>;
}

/** Makes the hooks that a plugin's files declare. */
export function pluginHooks(
  plugin: Plugin,
  parts: PluginHooksParts,
): { hooks: readonly PluginHook[]; warnings: readonly string[] } {
  const warnings: string[] = [];
  const hooks: PluginHook[] = [];
  const twins = new Map<string, Hook[]>();
  for (const file of plugin.hookFiles) {
    const rules = parts.rulesOf(file.dialect);
    const read = rules.readConfig(file.text);
    const name = relative(plugin.root, file.path) || plugin.id;
    warnings.push(...read.warnings.map((warning) => `${name}: ${warning}`));
    if (read.broken !== undefined) warnings.push(`${name}: none of its hooks is used. ${read.broken}`);
    for (const declared of read.hooks) hooks.push(pluginHook(plugin, file, declared, rules, parts, twins));
  }
  return { hooks, warnings };
}

function pluginHook(
  plugin: Plugin,
  file: PluginHooks,
  declared: DeclaredHook,
  rules: DialectRules,
  parts: PluginHooksParts,
  twins: Map<string, Hook[]>,
): PluginHook {
  const { path, text, inline } = file;
  const line = inline || declared.offset === undefined ? undefined : lineAt(text, declared.offset);
  const listed = { declared, dialect: rules.dialect, path, ...(line === undefined ? {} : { line }) };
  if (declared.event === undefined || declared.broken !== undefined || declared.unsupported !== undefined)
    return listed;
  const source = { is: 'plugin' as const, plugin: plugin.id, path, ...(line === undefined ? {} : { line }) };
  const { root } = plugin;
  const hook = hookOf(declared, rules, source, {
    ...parts.hooks,
    plugin: () => ({ root, data: parts.data, options: parts.options }),
  });
  // The same event and command found twice, in the files of two systems say, runs once: the first that wants the payload.
  const key = JSON.stringify([declared.event, declared.handler]);
  const earlier = [...(twins.get(key) ?? [])];
  twins.set(key, [...earlier, hook]);
  return {
    ...listed,
    hook: {
      ...hook,
      matches: (payload: HookPayload) => wantedFirst(hook, earlier, payload),
      async run(payload, signal) {
        if (await parts.mayRun()) return await hook.run(payload, signal);
        throw new HookFailure(
          'spawn',
          `It was not run: the plugin ${plugin.id} was changed since you allowed it, or is not allowed any more.`,
        );
      },
    },
  };
}
