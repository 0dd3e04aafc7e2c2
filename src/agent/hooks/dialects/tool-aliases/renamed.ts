import { absolutePath, known, ownPath } from './translate.ts';
import type { CallPlace, ToolAlias, Values } from './types.ts';

/** Names of our keys in the other system. */
export type Keys = Readonly<Record<string, string>>;

interface RenamedOptions {
  readonly matchedBy?: readonly string[];
  /** Their `path` is absolute; ours may be relative. */
  readonly absolute?: boolean;
}

/** A tool whose input is ours under other keys. What has no key there stays as it was. */
export function renamed(name: string, keys: Keys, { matchedBy, absolute }: RenamedOptions = {}): ToolAlias {
  const outward = (key: string, value: unknown, place: CallPlace) =>
    absolute && key === 'path' ? (absolutePath(value, place) ?? value) : value;
  const inward = (key: string, value: unknown, input: Values, place: CallPlace) =>
    absolute && key === 'path' ? ownPath(value, input.path, place) : value;
  return {
    call(input, place) {
      const entries = Object.entries(keys).map(([ours, theirs]) => [theirs, outward(ours, input[ours], place)]);
      return { name, input: known(Object.fromEntries(entries)), ...(matchedBy && { matchedBy }) };
    },
    back(changed, input, place) {
      const entries = Object.entries(keys).map(([ours, theirs]) => [ours, inward(ours, changed[theirs], input, place)]);
      return known({ ...input, ...Object.fromEntries(entries) });
    },
  };
}

/** Commands, edits and tools of Codex where it is the model: it makes these calls itself, and takes no other input. */
export function madeByCodex(call: ToolAlias['call']): ToolAlias {
  return { call, back: () => 'Codex itself makes this call, and takes no other input for it' };
}

/** `mcp__server__tool` with the tool's own input. */
export const codexMcp = madeByCodex(({ server, tool, arguments: input }) => ({
  name: `mcp__${String(server)}__${String(tool)}`,
  input: typeof input === 'object' && input !== null ? { ...input } : {},
}));

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Values)[field] : undefined;
}
