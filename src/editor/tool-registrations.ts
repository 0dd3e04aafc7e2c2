import type { Disposable, ToolDefinition } from '../api.ts';

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Tools that other extensions give to the agent. Kept here, because they may come before the agent is loaded. */
export class ToolRegistrations {
  readonly #tools = new Map<string, ToolDefinition>();
  /** Raised by each change. */
  revision = 0;

  /** @throws Error when the name does not fit or is taken */
  register(tool: ToolDefinition): Disposable {
    if (!namePattern.test(tool.name)) {
      throw new Error(`A tool's name is 1 to 64 letters, digits, "_" and "-"; "${tool.name}" is not.`);
    }
    if (this.#tools.has(tool.name)) throw new Error(`A tool with the name "${tool.name}" is registered already.`);
    this.#tools.set(tool.name, tool);
    this.revision++;
    return {
      dispose: () => {
        if (this.#tools.get(tool.name) !== tool) return;
        this.#tools.delete(tool.name);
        this.revision++;
      },
    };
  }

  all(): readonly ToolDefinition[] {
    return [...this.#tools.values()];
  }
}
