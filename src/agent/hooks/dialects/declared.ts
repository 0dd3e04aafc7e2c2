/** What the dialects share of reading their hook files. */

import type { HookEvent } from '../../../hooks-api.ts';
import { anyObject } from '../../declarations/json-text.ts';
import { nearName } from './near-name.ts';
import type { DeclaredHook, ReadConfig } from './types.ts';

/** An event of a dialect: which of ours fires it, and whether its hooks are waited for. */
export interface DialectEvent {
  readonly event: HookEvent;
  readonly answers: boolean;
}

export type DialectEvents = Readonly<Record<string, DialectEvent>>;

/** One value in the list of an event. */
export interface ListedEntry {
  readonly declaredAs: string;
  readonly index: number;
  readonly value: unknown;
  /** `PreToolUse[0]` */
  readonly place: string;
}

/** Goes through `{ Event: [entry, …] }`; an event whose value is no list is left out with a warning. */
export function readEntries(hooks: unknown, read: (entry: ListedEntry) => readonly DeclaredHook[]): ReadConfig {
  const events = anyObject.safeParse(hooks);
  if (!events.success) return { hooks: [], warnings: [], broken: '`hooks` is no object with a list for each event.' };
  const warnings: string[] = [];
  const declared = Object.entries(events.data).flatMap(([declaredAs, list]) => {
    if (Array.isArray(list)) {
      return list.flatMap((value: unknown, index) =>
        read({ declaredAs, index, value, place: `${declaredAs}[${index}]` }),
      );
    }
    warnings.push(`${declaredAs} is no list: its hooks do not run. The other events are not affected.`);
    return [];
  });
  return { hooks: declared, warnings };
}

/** Which of our events fires it, or why none does. */
export function supportOf(
  declaredAs: string,
  events: DialectEvents,
  system: string,
): Pick<DeclaredHook, 'event' | 'answers' | 'unsupported'> {
  const known = Object.hasOwn(events, declaredAs) ? events[declaredAs] : undefined;
  if (known) return { event: known.event, answers: known.answers };
  const near = nearName(declaredAs, Object.keys(events));
  const hint = near === undefined ? '' : ` Is ${near} meant?`;
  return {
    event: undefined,
    answers: false,
    unsupported: `There is no event ${declaredAs} in a hook file for ${system}.${hint}`,
  };
}

/** Stands in the list for what was written but cannot be read, so that it is not passed over in silence. */
export function unreadable(
  declaredAs: string,
  place: string,
  broken: string,
  offset: number | undefined,
): DeclaredHook {
  return {
    declaredAs,
    event: undefined,
    place,
    kind: 'command',
    timeout: 0,
    failClosed: false,
    answers: false,
    handler: { type: 'command', command: '' },
    warnings: [],
    broken,
    ...(offset === undefined ? {} : { offset }),
  };
}

/** What a hook of a delegated agent cannot have here. */
export const agentWords = {
  start: 'A delegated agent has begun already: the text does not reach it.',
  stop: 'A delegated agent has ended already: it does not go on.',
} as const;

/** A word about each field that nothing is known of. */
export function unknownFields(value: object, fields: readonly string[]): string[] {
  return Object.keys(value)
    .filter((field) => !fields.includes(field))
    .map((field) => `${field} is not known and has no effect.`);
}
