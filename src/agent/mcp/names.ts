import { createHash } from 'node:crypto';

/** What providers allow of a tool's name. */
const LONGEST = 64;

/** `mcp__server__tool` in the characters and the length that every provider takes; the same for the same names. */
export function toolName(server: string, tool: string): string {
  const whole = `mcp__${server}__${tool}`;
  const clean = whole.replace(/[^A-Za-z0-9_-]/g, '_');
  return clean.length <= LONGEST ? clean : distinct(clean, whole);
}

/** Names for all tools of a server: two that would be called alike are told apart. */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  // Names that need no change come first, so that they keep theirs.
  const plain = (tool: string) => Number(!/^[A-Za-z0-9_-]*$/.test(tool));
  for (const tool of [...new Set(tools)].sort((a, b) => plain(a) - plain(b) || (a < b ? -1 : 1))) {
    const name = toolName(server, tool);
    const own = taken.has(name) ? distinct(name, `mcp__${server}__${tool}`) : name;
    taken.add(own);
    names.set(tool, own);
  }
  return names;
}

/** What a plugin's server is called in this window. */
export function pluginServerName(plugin: string, server: string): string {
  return `plugin_${plugin}_${server}`;
}

function distinct(name: string, of: string): string {
  const mark = createHash('sha256').update(of).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}
