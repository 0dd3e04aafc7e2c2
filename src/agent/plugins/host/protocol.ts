/**
 * What Midcourse and the process of a plugin say to each other: one JSON object a line, over a pipe of its own. What the
 * plugin's side says is parsed here; it is other people's code.
 */

import * as z from 'zod';

const timeout = z.number().min(1).max(600_000);
const words = z.string().max(10_000);

export const registration = z.discriminatedUnion('is', [
  z.strictObject({
    is: z.literal('hook'),
    event: z.string().min(1).max(100),
    matcher: z.string().max(1000).exactOptional(),
    timeout,
    failClosed: z.boolean(),
  }),
  z.strictObject({
    is: z.literal('tool'),
    name: z.string().min(1).max(64),
    description: words,
    inputSchema: z.record(z.string(), z.unknown()),
    readOnly: z.boolean(),
    timeout,
  }),
  z.strictObject({
    is: z.literal('command'),
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
    description: z.string().max(1024),
    argumentHint: z.string().max(200).exactOptional(),
  }),
  z.strictObject({ is: z.literal('skill'), folder: z.string().max(1000) }),
  z.strictObject({ is: z.literal('section'), title: z.string().min(1).max(200), text: z.string().max(4000) }),
]);

export type Registration = z.infer<typeof registration>;

/** Of one kind. */
export type RegistrationOf<Kind extends Registration['is']> = Extract<Registration, { is: Kind }>;

const stateKey = z
  .string()
  .min(1)
  .max(256)
  .refine((key) => key !== '__proto__', 'is no name for a value');

export const request = z.discriminatedUnion('is', [
  z.strictObject({
    is: z.literal('complete'),
    prompt: z.string().max(1_000_000),
    system: z.string().max(200_000).exactOptional(),
    model: z.string().max(300).exactOptional(),
    maxOutput: z.int().min(1).max(1_000_000).exactOptional(),
  }),
  z.strictObject({ is: z.literal('state.set'), key: stateKey, value: z.unknown() }),
  z.strictObject({ is: z.literal('state.delete'), key: stateKey }),
]);

/** What a plugin asks of Midcourse. */
export type PluginRequest = z.infer<typeof request>;

const id = z.int().nonnegative();
/** A skill's holds its folder. */
const key = z.string().max(1100);

export const fromPlugin = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('registered'), key, registration }),
  z.strictObject({ type: z.literal('unregistered'), key }),
  z.strictObject({ type: z.literal('ready') }),
  /** `register` threw, or there is none: the plugin cannot be used. */
  z.strictObject({ type: z.literal('failed'), message: words }),
  z.strictObject({ type: z.literal('result'), id, value: z.unknown() }),
  z.strictObject({ type: z.literal('error'), id, message: words }),
  /** An exception that nobody caught, or a misuse of the API. */
  z.strictObject({ type: z.literal('problem'), message: words }),
  z.strictObject({ type: z.literal('log'), level: z.enum(['debug', 'info', 'warn', 'error']), message: words }),
  z.strictObject({ type: z.literal('request'), id, request }),
  z.strictObject({ type: z.literal('pong'), id }),
  z.strictObject({ type: z.literal('unloaded') }),
]);

export type FromPlugin = z.infer<typeof fromPlugin>;

export type ToPlugin =
  | ({ readonly type: 'start' } & PluginStart)
  | {
      readonly type: 'call';
      readonly id: number;
      readonly key: string;
      readonly payload: unknown;
      readonly sessionId: string;
    }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'unload' };

export interface PluginStart {
  readonly plugin: { readonly id: string; readonly version: string; readonly root: string };
  /** Absolute path of the module. */
  readonly main: string;
  readonly folders: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
  readonly state: Readonly<Record<string, unknown>>;
}
