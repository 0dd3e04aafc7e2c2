import { type Hook, HookFailure, isHookEvent, nativeHook } from '../hooks/index.ts';
import { firstOf, registeredTool, type Tool } from '../tools/index.ts';
import type { Registration, RegistrationOf } from './host/protocol.ts';
import type { Plugin } from './types.ts';

/** Characters of a tool's answer that reach the model. */
const RESULT_CHARACTERS = 50_000;

export interface PluginCall {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly sessionId: string;
}

export type CallPlugin = (key: string, payload: unknown, call: PluginCall) => Promise<unknown>;

type Registrations = ReadonlyMap<string, Registration>;

/** The hooks that a plugin's code has registered; an event that does not exist here never fires. */
export function registeredHooks({ id }: Plugin, registrations: Registrations, call: CallPlugin): readonly Hook[] {
  return of(registrations, 'hook').flatMap(([key, { event, matcher, timeout, failClosed }]) =>
    isHookEvent(event)
      ? nativeHook({
          id: `plugin:${id}#${key}`,
          event,
          name: id,
          source: { is: 'plugin', plugin: id },
          ...(matcher === undefined ? {} : { matcher }),
          timeout,
          failClosed,
          handle: (payload, signal) => call(key, payload, { limit: timeout, signal, sessionId: payload.session_id }),
        })
      : [],
  );
}

/** Of events that this version does not have. */
export function unknownEvents(registrations: Registrations): readonly string[] {
  return of(registrations, 'hook').flatMap(([, { event }]) => (isHookEvent(event) ? [] : [event]));
}

/** The tools of a plugin. One whose registration has not changed stays the same object, so that requests keep their bytes. */
export class RegisteredTools {
  readonly #plugin: Plugin;
  readonly #call: CallPlugin;
  #known = new Map<string, { readonly json: string; readonly tool: Tool }>();

  constructor(plugin: Plugin, call: CallPlugin) {
    this.#plugin = plugin;
    this.#call = call;
  }

  /** @param refused is told of a tool whose schema cannot be used */
  of(registrations: Registrations, refused: (why: string) => void): readonly Tool[] {
    const now = new Map<string, { readonly json: string; readonly tool: Tool }>();
    for (const [key, registration] of of(registrations, 'tool')) {
      const json = JSON.stringify(registration);
      const known = this.#known.get(key);
      try {
        now.set(key, known?.json === json ? known : { json, tool: this.#tool(key, registration) });
      } catch (error) {
        refused(error instanceof Error ? error.message : String(error));
      }
    }
    this.#known = now;
    return [...now.values()].map(({ tool }) => tool);
  }

  #tool(key: string, { name, description, inputSchema, readOnly, timeout }: RegistrationOf<'tool'>): Tool {
    const { id } = this.#plugin;
    return {
      ...registeredTool({ name, description, inputSchema, readOnly, invoke: async () => '' }),
      permission: async (input) =>
        readOnly
          ? undefined
          : {
              kind: 'run',
              summary: `Use the tool ${name}`,
              why: `It comes from the plugin ${id} and may change things.`,
              command: `${name} ${JSON.stringify(input)}`,
              rule: { key: `plugin:${id}:${name}`, words: `the tool ${name} of the plugin ${id}` },
            },
      run: async (input, { signal, sessionId }) => {
        try {
          const answer = await this.#call(key, input, { limit: timeout, signal, sessionId });
          const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '');
          return { status: 'success', text: bounded(text) };
        } catch (error) {
          const why = error instanceof Error ? firstOf(error.message, 4000) : String(error);
          if (signal.aborted) return { status: 'stopped', text: `${name} was stopped and may have run in part.` };
          const status = error instanceof HookFailure && error.kind === 'timeout' ? 'timeout' : 'error';
          return { status, text: `${name}, a tool of the plugin ${id}, failed: ${why}` };
        }
      },
    };
  }
}

function bounded(text: string): string {
  if (text.length <= RESULT_CHARACTERS) return text;
  return `${firstOf(text, RESULT_CHARACTERS)}\n[${text.length - RESULT_CHARACTERS} more characters were left out]`;
}

export function of<Kind extends Registration['is']>(
  registrations: Registrations,
  kind: Kind,
): readonly (readonly [string, RegistrationOf<Kind>])[] {
  return [...registrations].filter((entry): entry is [string, RegistrationOf<Kind>] => entry[1].is === kind);
}
