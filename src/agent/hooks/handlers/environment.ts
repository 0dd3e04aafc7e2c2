import { commandEnvironment } from '../../tools/index.ts';
import type { DeclaredHandler } from '../dialects/types.ts';
import type { HandlerRun, HookParts, PluginFolders } from './types.ts';

/** What a hook's process sees: the host's environment without keys, its dialect's variables, its plugin's, its own. */
export function hookEnvironment(
  { declared, rules, parts, payload }: Pick<HandlerRun, 'declared' | 'rules' | 'parts' | 'payload'>,
  handler: DeclaredHandler & { type: 'command' },
): NodeJS.ProcessEnv {
  return {
    ...commandEnvironment(parts.environment, parts.secretEnv()),
    ...rules.environment(declared, payload, parts.surroundings),
    ...rootVariables(parts),
    ...handler.env,
  };
}

/** The folders of the plugin under the names of every system, so that one file serves hosts that name them differently. */
export function rootVariables(parts: Pick<HookParts, 'plugin' | 'surroundings'>): Readonly<Record<string, string>> {
  const plugin = parts.plugin?.();
  if (!plugin) return {};
  const [project] = parts.surroundings.folders;
  return {
    ...(project === undefined ? {} : { CLAUDE_PROJECT_DIR: project }),
    CLAUDE_PLUGIN_ROOT: plugin.root,
    PLUGIN_ROOT: plugin.root,
    CLAUDE_PLUGIN_DATA: plugin.data,
    PLUGIN_DATA: plugin.data,
    ...optionVariables(plugin),
  };
}

function optionVariables({ options = {} }: PluginFolders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      `CLAUDE_PLUGIN_OPTION_${key.replace(/\W/g, '_').toUpperCase()}`,
      value,
    ]),
  );
}

/** `${NAME}` of these variables in a text that no shell expands. */
export function expanded(text: string, variables: Readonly<NodeJS.ProcessEnv>): string {
  return text.replace(/\$\{(\w+)\}/g, (whole, name: string) =>
    EXPANDED.test(name) ? (variables[name] ?? whole) : whole,
  );
}

const EXPANDED = /^(CLAUDE_PROJECT_DIR|(CLAUDE_)?PLUGIN_(ROOT|DATA)|CLAUDE_PLUGIN_OPTION_\w+)$/;
