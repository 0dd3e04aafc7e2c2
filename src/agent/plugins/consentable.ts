import { relative } from 'node:path';
import type { Consentable } from '../trust/index.ts';
import type { Plugin } from './types.ts';

/** True when something of the plugin would run: code, hooks, servers. What is only read needs no consent. */
export function runsSomething({ main, hookFiles, mcp, languageServers }: Plugin): boolean {
  return main !== undefined || hookFiles.length + mcp.length + languageServers.length > 0;
}

/** @param files all of the plugin, absolute */
export function consentableOf(plugin: Plugin, files: readonly string[]): Consentable {
  const { id, label, scope, root, manifest } = plugin;
  return {
    id: `plugin:${root}`,
    kind: 'plugin',
    title: label === id ? id : `${label} (${id})`,
    scope,
    path: manifest ?? root,
    wouldRun: wouldRun(plugin, files.length),
    definition: {
      id,
      format: plugin.format,
      version: plugin.version,
      main: plugin.main && relative(root, plugin.main),
      ...(plugin.listed === undefined ? {} : { listed: plugin.listed }),
    },
    files,
    // Its code may load what is not below its root.
    ...(plugin.main === undefined
      ? {}
      : { starts: { place: { cwd: root, home: root, variables: {} }, scripts: [plugin.main], within: root } }),
    root,
  };
}

function wouldRun(plugin: Plugin, files: number): string {
  const { root, main, hookFiles, mcp, languageServers, skills, commands, agents, provides } = plugin;
  const from = (parts: readonly { readonly path: string }[]) =>
    parts.map(({ path }) => relative(root, path) || 'its manifest').join(', ');
  const says = [...provides.hooks, ...provides.tools, ...provides.commands];
  const lines = [
    ...(main ? [`node ${relative(root, main)} (in a process of its own, with your rights)`] : []),
    ...(says.length > 0 ? [`  it says that it provides: ${says.join(', ')}`] : []),
    ...(hookFiles.length > 0 ? [`hooks of ${from(hookFiles)}`] : []),
    ...(mcp.length > 0 ? [`MCP servers of ${from(mcp)}`] : []),
    ...(languageServers.length > 0 ? [`language servers of ${from(languageServers)}`] : []),
    ...(skills.length + commands.length + agents.length > 0
      ? [`read, without running: ${[...skills, ...commands, ...agents].map((path) => relative(root, path)).join(', ')}`]
      : []),
    `All ${files} files of ${root} are part of what you allow.`,
  ];
  return lines.join('\n');
}
