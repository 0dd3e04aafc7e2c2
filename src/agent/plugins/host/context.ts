import type { HookEvent } from '../../../hooks-api.ts';
import type {
  HookOptions,
  PluginCommand,
  PluginContext,
  PluginLog,
  PluginModel,
  PluginState,
  PluginTool,
} from '../../../plugin-api.ts';
import { nativeLimit, nativeTimeout } from '../../hooks/limits.ts';
import { patternOf } from '../../kernel/patterns/index.ts';
import { spellingProblem } from '../inside.ts';
import type { PluginSide } from './plugin-side.ts';
import type { PluginStart } from './protocol.ts';
import { toolInput } from './tool-input.ts';

const SECTIONS = { each: 4000, together: 8000, most: 32 };
/** Bytes of all values as JSON. */
const STATE = 1024 * 1024;

/** What the plugin's `register` is given. Misuse throws a `TypeError` where it happens. */
export function createContext(start: PluginStart, side: PluginSide): PluginContext {
  const keys = new Keys();
  const sections = new Map<string, number>();
  return {
    plugin: Object.freeze({ ...start.plugin }),
    folders: Object.freeze([...start.folders]),
    config: frozen(start.config),
    state: stateOf(start, side),
    log: logOf(side),
    llm: modelOf(side),
    onUnload(callback) {
      needsFunction(callback, 'onUnload');
      side.onUnload(callback);
    },

    registerHook(event, handler, options = {}) {
      needsFunction(handler, `the hook for ${event}`);
      return side.register(keys.next(`hook:${event}`), hookOf(event, options), (payload) =>
        handler(frozen(payload) as never),
      );
    },

    registerTool<Input>(tool: PluginTool<Input>) {
      const { name, description, readOnly = false, timeout } = tool;
      needsFunction(tool.run, `the tool ${name}`);
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
        throw new TypeError(`"${name}" is no name for a tool: A–Z, a–z, 0–9, _ and -.`);
      const input = toolInput(tool.input, name);
      return side.register(
        `tool:${name}`,
        { is: 'tool', name, description, inputSchema: input.schema, readOnly, timeout: toolTimeout(timeout) },
        async (value, call) => await tool.run((await input.parse(value)) as Input, call),
      );
    },

    registerCommand(command: PluginCommand) {
      const name = command.name
        .trim()
        .replace(/^\//, '')
        .toLowerCase()
        .replace(/[\s_]+/g, '-');
      const { description, argumentHint } = command;
      needsFunction(command.run, `the command ${name}`);
      if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
        throw new TypeError(`"${command.name}" is no name for a command: a–z, 0–9 and -.`);
      return side.register(
        `command:${name}`,
        { is: 'command', name, description, ...(argumentHint === undefined ? {} : { argumentHint }) },
        (args) => command.run(String(args)),
      );
    },

    registerSkill(folder) {
      const problem = spellingProblem(folder);
      if (problem) throw new TypeError(`registerSkill: "${folder}" ${problem}.`);
      return side.register(`skill:${folder}`, { is: 'skill', folder });
    },

    registerSystemPromptSection(title, text) {
      const others = [...sections.values()].reduce((sum, length) => sum + length, 0);
      if (typeof text !== 'string' || text.trim() === '') throw new TypeError(`The section "${title}" is empty.`);
      if (text.length > SECTIONS.each)
        throw new TypeError(`The section "${title}" has more than ${SECTIONS.each} characters.`);
      if (others + text.length > SECTIONS.together)
        throw new TypeError(`All sections have more than ${SECTIONS.together} characters.`);
      if (sections.size >= SECTIONS.most) throw new TypeError(`There are ${SECTIONS.most} sections already.`);
      const key = keys.next('section');
      sections.set(key, text.length);
      return released(side.register(key, { is: 'section', title, text }), () => sections.delete(key));
    },
  };
}

/** A plugin that starts again registers in the same order, and so finds the same keys. */
class Keys {
  readonly #counts = new Map<string, number>();

  next(of: string): string {
    const count = (this.#counts.get(of) ?? 0) + 1;
    this.#counts.set(of, count);
    return `${of}#${count}`;
  }
}

function hookOf(event: string, { matcher, timeout, failClosed = true }: HookOptions) {
  // In the plugin's own process, and only read: what it costs to judge is the host's to bound.
  const pattern = matcher === undefined ? undefined : patternOf(`^(?:${matcher})$`, 'u');
  if (typeof pattern === 'string') throw new SyntaxError(pattern);
  return {
    is: 'hook' as const,
    event,
    ...(matcher === undefined ? {} : { matcher }),
    timeout: nativeTimeout(event as HookEvent, timeout),
    failClosed: event === 'pre_tool_call' && failClosed,
  };
}

function stateOf(start: PluginStart, side: PluginSide): PluginState {
  const values: Record<string, unknown> = { ...start.state };
  return {
    get: (key) => (Object.hasOwn(values, key) ? (structuredClone(values[key]) as never) : undefined),
    async set(key, value) {
      const json = JSON.stringify(value);
      if (json === undefined) throw new TypeError(`state.set: the value of "${key}" is no JSON.`);
      const all = JSON.stringify({ ...values, [key]: value });
      if (Buffer.byteLength(all) > STATE) throw new RangeError('state.set: a plugin may keep at most 1 MB.');
      values[key] = JSON.parse(json);
      await side.ask({ is: 'state.set', key, value });
    },
    async delete(key) {
      delete values[key];
      await side.ask({ is: 'state.delete', key });
    },
  };
}

function logOf(side: PluginSide): PluginLog {
  return {
    debug: (message) => side.log('debug', message),
    info: (message) => side.log('info', message),
    warn: (message) => side.log('warn', message),
    error: (message) => side.log('error', message),
  };
}

function modelOf(side: PluginSide): PluginModel {
  return {
    async complete({ prompt, system, model, maxOutput }) {
      return (await side.ask({
        is: 'complete',
        prompt,
        ...(system === undefined ? {} : { system }),
        ...(model === undefined ? {} : { model }),
        ...(maxOutput === undefined ? {} : { maxOutput }),
      })) as { text: string; model: string };
    },
  };
}

function released(registered: { dispose(): void }, release: () => void): { dispose(): void } {
  return {
    dispose() {
      registered.dispose();
      release();
    },
  };
}

function toolTimeout(asked: number | undefined): number {
  if (typeof asked !== 'number' || !(asked > 0)) return nativeLimit.unasked;
  return Math.min(asked, nativeLimit.most);
}

function needsFunction(value: unknown, of: string): void {
  if (typeof value !== 'function') throw new TypeError(`${of} is not a function.`);
}

/** All the way down: the payload has been read from JSON, so there are no circles. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
