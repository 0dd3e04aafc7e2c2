import type { MidcourseApi } from '../api.ts';
import type { Core } from './core.ts';
import type { ApiHooks } from './hooks.ts';
import type { ToolRegistrations } from './tool-registrations.ts';

/** What other extensions get from `activate()`. The agent is loaded by the first session that they ask for. */
export function createApi(open: () => Promise<Core>, hooks: ApiHooks, tools: ToolRegistrations): MidcourseApi {
  return {
    apiVersion: 1,
    sessions: {
      create: async (options) => (await open()).sessions.create(options),
      open: async (id) => (await open()).sessions.open(id),
      list: async () => (await open()).sessions.list(),
      search: async (query, options) => (await open()).sessions.search(query, options?.limit),
    },
    hooks: { on: (event, handler) => hooks.on(event, handler) },
    tools: { register: (tool) => tools.register(tool) },
  };
}
