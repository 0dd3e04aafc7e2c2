import type { Plugin, Requirement } from './types.ts';

export interface Ordered {
  /** Those that can run: what a plugin requires stands before it, otherwise in the order given. */
  readonly plugins: readonly Plugin[];
  /** Those that cannot, with the reason for people. */
  readonly unmet: ReadonlyMap<string, string>;
}

/**
 * Puts plugins into the order in which they are loaded.
 *
 * @param plugins in the order of their folders
 * @param isUsable false for one that is there but does not run: switched off, waiting for consent
 */
export function orderPlugins(plugins: readonly Plugin[], isUsable: (id: string) => boolean): Ordered {
  const byId = new Map(plugins.map((plugin) => [plugin.id, plugin]));
  const unmet = new Map<string, string>();
  const state = new Map<string, 'visiting' | 'done'>();
  const ordered: Plugin[] = [];

  const visit = (plugin: Plugin, way: readonly string[]): void => {
    if (state.get(plugin.id) === 'done') return;
    if (state.get(plugin.id) === 'visiting') {
      const circle = [...way.slice(way.indexOf(plugin.id)), plugin.id];
      for (const id of circle) unmet.set(id, `Plugins require each other in a circle: ${circle.join(' → ')}.`);
      return;
    }
    state.set(plugin.id, 'visiting');
    for (const requirement of plugin.requires) {
      const other = byId.get(requirement.id);
      if (other) visit(other, [...way, plugin.id]);
      const why = unmetBecause(requirement, other, isUsable, unmet);
      if (why && !unmet.has(plugin.id)) unmet.set(plugin.id, why);
    }
    state.set(plugin.id, 'done');
    if (!unmet.has(plugin.id)) ordered.push(plugin);
  };
  for (const plugin of plugins) visit(plugin, []);
  return { plugins: ordered, unmet };
}

function unmetBecause(
  { id, version }: Requirement,
  other: Plugin | undefined,
  isUsable: (id: string) => boolean,
  unmet: ReadonlyMap<string, string>,
): string | undefined {
  if (!other) return `It requires the plugin ${id}, which is not there.`;
  if (version && !satisfies(other.version, version)) {
    return `It requires ${id} ${version}; there is ${other.version || 'one without a version'}.`;
  }
  if (unmet.has(id)) return `It requires the plugin ${id}, which cannot run: ${unmet.get(id)}`;
  if (!isUsable(id)) return `It requires the plugin ${id}, which does not run: switch it on or allow it.`;
  return undefined;
}

/** `1.2.0` and `=1.2.0` exactly, `^1.2` the same first number that is not 0, `~1.2` the same second one, `>=1.2` any later. */
export function satisfies(version: string, range: string): boolean {
  const has = numbers(version);
  const [, operator = '', wanted = ''] = /^(\^|~|>=|=)?\s*(.*)$/.exec(range) ?? [];
  const wants = numbers(wanted);
  if (!has || !wants) return false;
  if (operator === '' || operator === '=') return compare(has, wants) === 0;
  if (compare(has, wants) < 0) return false;
  if (operator === '>=') return true;
  if (operator === '~') return has[0] === wants[0] && has[1] === wants[1];
  const fixed = wants.findIndex((part) => part !== 0);
  return wants.every((part, index) => index > (fixed === -1 ? 2 : fixed) || has[index] === part);
}

type Numbers = readonly [number, number, number];

function numbers(version: string): Numbers | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version.trim());
  return match ? [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)] : undefined;
}

function compare(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
