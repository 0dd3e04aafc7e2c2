import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { HookPayload } from '../../../../hooks-api.ts';
import { behindRootName } from '../../../safety/index.ts';
import type { CallPlace, CallResult, ForeignCall, ToolAliases, Values } from './types.ts';

/** A payload about one call. */
export interface CallPayload {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly cwd: string;
  readonly workspace_folders?: readonly string[];
}

/** True for every payload that is about one call. */
export function isAboutCall(payload: HookPayload): payload is HookPayload & CallPayload {
  return 'tool_name' in payload;
}

/** The call under the names of the other system. */
export function foreignCall(aliases: ToolAliases, payload: CallPayload): ForeignCall {
  const input = valuesOf(payload.tool_input);
  return ownAlias(aliases, payload)?.call(input, payload) ?? { name: payload.tool_name, input };
}

/** All names that a matcher may use for the call; the one on stdin first. */
export function matchNames(aliases: ToolAliases, payload: CallPayload): readonly string[] {
  const { name, matchedBy = [] } = foreignCall(aliases, payload);
  return [name, ...matchedBy];
}

/** Our whole input from a hook's `updatedInput`; a string says why it cannot be used. */
export function ownInput(aliases: ToolAliases, payload: CallPayload, changed: Values): Values | string {
  return ownAlias(aliases, payload)?.back(changed, valuesOf(payload.tool_input), payload) ?? changed;
}

/** `tool_response` in the other system's shape. */
export function foreignResponse(aliases: ToolAliases, payload: CallPayload & CallResult): unknown {
  const input = valuesOf(payload.tool_input);
  return ownAlias(aliases, payload)?.response?.(payload, input, payload) ?? payload.tool_result;
}

/** What the other system says of a call that failed. */
export function foreignFailure(aliases: ToolAliases, payload: CallPayload & CallResult): string {
  return ownAlias(aliases, payload)?.failure?.(payload) ?? payload.tool_result;
}

/** The text that takes the place of a result, from what a hook answered. */
export function ownResult(aliases: ToolAliases, payload: CallPayload, response: unknown): string {
  if (typeof response === 'string') return response;
  return ownAlias(aliases, payload)?.text?.(response) ?? textOf(response) ?? JSON.stringify(response) ?? '';
}

/** Text of a content block, of a list of them, or of an object that holds such a list. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) {
    const parts = content.map(textOf);
    return parts.some((part) => part === undefined) ? undefined : parts.join('\n');
  }
  const { type, text, content: inner } = valuesOf(content);
  if (type === 'text' && typeof text === 'string') return text;
  return inner === undefined ? undefined : textOf(inner);
}

/** An object's values; nothing of anything else. */
export function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

/** Absolute; undefined for what is no path. */
export function absolutePath(path: unknown, { cwd, workspace_folders: folders = [] }: CallPlace): string | undefined {
  if (typeof path !== 'string' || path === '') return undefined;
  if (folders.length < 2 || isAbsolute(path)) return resolve(cwd, path);
  // As tools resolve it (`safety/paths.ts`), but for a doubt, which is an error there.
  const named = behindRootName(path, folders);
  const all = [...(named === undefined ? [] : [named]), ...folders.map((folder) => resolve(folder, path))];
  return all.find((one) => existsSync(one)) ?? named ?? resolve(cwd, path);
}

/** The path as the call had it, unless the hook made another one of it. */
export function ownPath(changed: unknown, path: unknown, place: CallPlace): unknown {
  return typeof changed === 'string' && changed === absolutePath(path, place) ? path : changed;
}

/** Without the keys whose value is undefined. */
export function known(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function ownAlias(aliases: ToolAliases, { tool_name }: CallPayload) {
  return Object.hasOwn(aliases, tool_name) ? aliases[tool_name] : undefined;
}
