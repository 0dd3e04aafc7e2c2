import * as z from 'zod';
import type { Disposable, ToolDefinition } from '../../api.ts';
import type { ToolSpec } from '../model/types.ts';
import type { ToolPort } from '../turn/types.ts';
import { createBuiltinTools } from './builtin-tools.ts';
import { registeredTool } from './registered-tool.ts';
import type { Tool } from './types.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const NONE: ReadonlySet<string> = new Set();

/** Milliseconds that a turn waits for tools that are about to come; those that come later are offered to the next turn. */
const PATIENCE = 5_000;

/** The built-in tools and those that other extensions registered. */
export class ToolRegistry implements ToolPort {
  readonly #builtIn: readonly Tool[];
  readonly #registered = new Map<string, Tool>();
  /** By owner: tools that come and go together, such as those of MCP servers. */
  readonly #provided = new Map<string, readonly Tool[]>();
  readonly #expected = new Set<Promise<void>>();
  readonly #turnListeners = new Set<() => void>();
  #list: readonly Tool[];

  constructor(builtIn: readonly Tool[] = createBuiltinTools()) {
    this.#builtIn = builtIn;
    this.#list = builtIn;
  }

  /** Built-in tools first, then registered ones by name: the same order whoever registered first. */
  list(): readonly Tool[] {
    return this.#list;
  }

  /** By name. A name that differs only in case or separators finds its tool if it is the only one. */
  find(name: string, own: readonly Tool[] = []): Tool | undefined {
    const exact = [...own, ...this.#list].find((tool) => tool.name === name);
    if (exact) return exact;
    const alike = this.#list.filter((tool) => bare(tool.name) === bare(name));
    return alike.length === 1 ? alike[0] : undefined;
  }

  /** Throws a `TypeError` that names the problem: a bad name, a name that is taken, a schema that cannot be used. */
  register(definition: ToolDefinition): Disposable {
    const { name } = definition;
    if (!NAME.test(name)) {
      throw new TypeError(
        `A tool's name has 1 to 64 of the characters A–Z, a–z, 0–9, _ and -; "${name}" does not fit.`,
      );
    }
    const taken = this.#list.find((tool) => bare(tool.name) === bare(name));
    if (taken) {
      const whose = this.#builtIn.includes(taken) ? 'a built-in tool' : 'another registered tool';
      throw new TypeError(`The tool name "${name}" is taken by ${whose}, "${taken.name}". Choose another one.`);
    }
    const tool = registeredTool(definition);
    this.#registered.set(name, tool);
    this.#relist();
    return {
      dispose: () => {
        if (this.#registered.get(name) !== tool) return;
        this.#registered.delete(name);
        this.#relist();
      },
    };
  }

  /**
   * Replaces all tools of the owner.
   *
   * @param replaces names of built-in tools whose place its own may take, because the user says so
   * @returns those whose name cannot be used or is taken, which are left out
   */
  provide(owner: string, tools: readonly Tool[], replaces: ReadonlySet<string> = NONE): readonly Tool[] {
    this.#provided.delete(owner);
    this.#relist();
    const taken = new Set(
      this.#list.filter((tool) => !(replaces.has(tool.name) && this.#isBuiltIn(tool))).map(nameKey),
    );
    const fits = (tool: Tool) => NAME.test(tool.name) && !taken.has(nameKey(tool));
    this.#provided.set(owner, tools.filter(fits));
    this.#relist();
    return tools.filter((tool) => !fits(tool));
  }

  /** Tools are about to come: a turn that begins waits for them. @param tools must not reject */
  expect(tools: Promise<void>): void {
    const expected = tools.finally(() => this.#expected.delete(expected));
    this.#expected.add(expected);
  }

  /** A turn begins: the moment to try again what did not succeed before. Must not throw. */
  onTurn(listener: () => void): Disposable {
    this.#turnListeners.add(listener);
    return { dispose: () => this.#turnListeners.delete(listener) };
  }

  ready(signal: AbortSignal): Promise<void> | undefined {
    for (const listener of this.#turnListeners) listener();
    return this.#expected.size === 0 ? undefined : settledWithin(PATIENCE, [...this.#expected], signal);
  }

  toolSpecs(): readonly ToolSpec[] {
    return toolSpecs(this.#list);
  }

  #isBuiltIn(tool: Tool): boolean {
    return this.#builtIn.includes(tool);
  }

  #relist(): void {
    const others = [...this.#registered.values(), ...[...this.#provided.values()].flat()];
    const registered = others.sort((a, b) => (a.name < b.name ? -1 : 1));
    const names = new Set(registered.map(nameKey));
    this.#list = [...this.#builtIn.filter((tool) => !names.has(nameKey(tool))), ...registered];
  }
}

const specs = new WeakMap<Tool, ToolSpec>();

/** What the model is told of the tools. Made once for each tool, so that a request's prefix keeps its bytes. */
export function toolSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  return tools.map((tool) => {
    const known = specs.get(tool);
    if (known) return known;
    const { $schema: _, ...schema } = tool.inputSchema ?? z.toJSONSchema(tool.input, { io: 'input' });
    const spec = { name: tool.name, description: tool.description, inputSchema: schema };
    specs.set(tool, spec);
    return spec;
  });
}

/** For the result of a call whose tool does not exist. */
export function unknownToolText(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name).join(', ');
  return `There is no tool "${name.slice(0, 100)}"; nothing was run. The tools are: ${names || 'none'}.`;
}

/** Names that differ only in case or separators are one: a model's near miss has to find one tool. */
function nameKey({ name }: Tool): string {
  return bare(name);
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Resolves when all have settled, after `ms`, or when `signal` aborts. */
async function settledWithin(ms: number, promises: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const timer = setTimeout(done, ms);
  if (signal.aborted) done();
  signal.addEventListener('abort', done, { once: true });
  await Promise.race([Promise.allSettled(promises), over]);
  clearTimeout(timer);
  signal.removeEventListener('abort', done);
}
