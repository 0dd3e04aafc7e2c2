import type { ToolRegistry } from '../agent/tools/index.ts';
import type { Log } from '../agent/turn/types.ts';
import type { Disposable, ToolDefinition } from '../api.ts';

interface Registration {
  readonly tool: ToolDefinition;
  registered: Disposable | undefined;
}

/** Tools that other extensions give to the agent. They may come before the agent is loaded, and wait here then. */
export class ToolRegistrations {
  readonly #log: Log;
  readonly #waiting = new Set<Registration>();
  #registry: ToolRegistry | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** @throws TypeError for a name or a schema that cannot be used; before the agent is loaded that is only logged */
  register(tool: ToolDefinition): Disposable {
    if (this.#registry) return this.#registry.register(tool);
    const registration: Registration = { tool, registered: undefined };
    this.#waiting.add(registration);
    return {
      dispose: () => {
        this.#waiting.delete(registration);
        registration.registered?.dispose();
      },
    };
  }

  connect(registry: ToolRegistry): void {
    this.#registry = registry;
    for (const registration of this.#waiting) {
      try {
        registration.registered = registry.register(registration.tool);
      } catch (error) {
        this.#log.error(`A tool of another extension was left out: ${error instanceof Error ? error.message : error}`);
      }
    }
    this.#waiting.clear();
  }
}
