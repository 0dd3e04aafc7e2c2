import type { MidcourseApi } from '../api.ts';
import type { Core } from './core.ts';
import type { HookRegistrations } from './hook-registrations.ts';
import type { ToolRegistrations } from './tool-registrations.ts';

/** What other extensions get from `activate()`. The agent is loaded by the first session that they ask for. */
export function createApi(open: () => Promise<Core>, hooks: HookRegistrations, tools: ToolRegistrations): MidcourseApi {
  const opened = async () => {
    const [{ sessions }, border] = await Promise.all([open(), import('./api-session.ts')]);
    return { sessions, ...border };
  };
  return {
    apiVersion: 1,
    sessions: {
      async create(options) {
        const { sessions, check, apiSession } = await opened();
        check('sessions.create', 'create', options);
        return apiSession(sessions.create(options));
      },
      async open(id) {
        const { sessions, check, apiSession } = await opened();
        check('sessions.open', 'open', { id });
        return apiSession(sessions.open(id));
      },
      list: async () => (await open()).sessions.list(),
      async search(query, options) {
        const { sessions, check } = await opened();
        check('sessions.search', 'search', { query, options });
        return sessions.search(query, options?.limit);
      },
    },
    hooks: { on: (event, handler) => hooks.on(event, handler) },
    tools: { register: (tool) => tools.register(tool) },
  };
}
