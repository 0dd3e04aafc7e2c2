/** What is known of a model by its name, and how that is weighed against what others say. */

import type { Ladder } from './effort.ts';
import { FAMILIES, type Family } from './families.ts';
import { longestKey } from './names.ts';

/** Tokens that a model of which nobody says anything is taken to read. */
export const UNKNOWN_WINDOW = 256_000;

/** Tokens below which a model has hardly room for the tools, the work and its memory of it. */
export const SMALL_WINDOW = 64_000;

/**
 * Tokens that are asked for where an API wants a number and nobody chose one: enough for a long file, and not so much
 * that the answer takes the room of the conversation.
 */
const DEFAULT_OUTPUT = 32_000;

/** What the settings, an endpoint or a refusal says of a model. */
export interface ModelFacts {
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxOutput?: number;
  readonly vision?: boolean;
  readonly efforts?: Ladder;
}

/** Where the window of a model is known from. */
export type WindowSource = 'settings' | 'learned' | 'endpoint' | 'family' | 'unknown';

export interface KnownModel {
  readonly contextWindow: number;
  readonly windowFrom: WindowSource;
  /** Absent where nobody names a limit. */
  readonly maxOutput?: number;
  /** Absent where nobody says. */
  readonly vision?: boolean;
  /** Empty: it takes no effort, or nobody says. */
  readonly efforts: Ladder;
}

export interface SaidOfModel {
  readonly settings?: ModelFacts | undefined;
  /** Limits that the provider named in a refusal. */
  readonly learned?: ModelFacts | undefined;
  readonly endpoint?: ModelFacts | undefined;
}

/** Brings together what is said of a model: the settings, then a refusal, then its endpoint, then its family. */
export function knownModel(name: string, said: SaidOfModel = {}): KnownModel {
  const family = familyOf(name);
  const voices: readonly (readonly [WindowSource, ModelFacts | undefined])[] = [
    ['settings', said.settings],
    ['learned', said.learned],
    ['endpoint', said.endpoint],
    ['family', family],
  ];
  const first = <Field extends keyof ModelFacts>(field: Field) =>
    voices.find(([, facts]) => facts?.[field] !== undefined)?.[1]?.[field];
  const [windowFrom = 'unknown'] = voices.find(([, facts]) => facts?.contextWindow !== undefined) ?? [];
  const maxOutput = first('maxOutput');
  const vision = first('vision') ?? (family && false);
  return {
    contextWindow: first('contextWindow') ?? UNKNOWN_WINDOW,
    windowFrom,
    efforts: first('efforts') ?? [],
    ...(maxOutput !== undefined && { maxOutput }),
    ...(vision !== undefined && { vision }),
  };
}

/**
 * The output limit to ask for, in tokens; undefined leaves it to the provider. What the settings say is asked for, up to
 * what a refusal named. What a family can write is only asked for where the API has no default of its own, and never
 * above 32,000.
 */
export function outputToAskFor(name: string, said: SaidOfModel, wantsLimit: boolean): number | undefined {
  const most = said.learned?.maxOutput;
  const chosen =
    said.settings?.maxOutput ??
    (wantsLimit ? Math.min(knownModel(name, said).maxOutput ?? Number.POSITIVE_INFINITY, DEFAULT_OUTPUT) : most);
  return chosen === undefined || most === undefined ? chosen : Math.min(chosen, most);
}

export function familyOf(name: string): Family | undefined {
  const key = longestKey(Object.keys(FAMILIES) as (keyof typeof FAMILIES)[], name);
  return key === undefined ? undefined : FAMILIES[key];
}
