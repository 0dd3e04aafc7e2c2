import type { HookEvent } from '../../api.ts';
import { type AgentRole, mayUse } from '../customisations/index.ts';
import { DELEGATE } from '../tools/index.ts';
import type { ProcessPort, Tool } from '../tools/types.ts';
import type { AgentPorts, HookPort, ParentPort, ToolPort } from '../turn/index.ts';

/** Who stops an agent when its parent is stopped: a system producer, never the user. */
export const BY_PARENT = 'parent';

/** No agent below an agent; and nobody is there whom it could ask, or who would look at its list of steps. */
const NOT_FOR_CHILDREN: ReadonlySet<string> = new Set([DELEGATE, 'ask_user', 'todo']);

/** Hooks of a session and of a turn's end are not fired for an agent: they speak of the session's work, which goes on. */
const NOT_FIRED: ReadonlySet<HookEvent> = new Set([
  'on_session_start',
  'on_session_finalize',
  'on_session_reset',
  'pre_verify',
  'transform_llm_output',
  'post_llm_call',
  'on_session_end',
]);

export interface ChildNeeds {
  readonly parent: ParentPort;
  readonly processes: ProcessPort;
  /** What it is besides its task. */
  readonly role?: AgentRole | undefined;
  /** Resolves when the agent may begin, or when `signal` aborts. */
  mayBegin(signal: AbortSignal): Promise<void>;
}

/** What an agent's session is given: the parent's things where they are shared, its own where it differs. */
export function childPorts(ports: AgentPorts, needs: ChildNeeds): AgentPorts {
  return {
    ...ports,
    parent: needs.parent,
    tools: childTools(ports.tools, needs.role),
    hooks: childHooks(ports.hooks, needs),
    processes: () => needs.processes,
    settings: () => {
      const settings = ports.settings();
      // What a stop leaves unread goes back: nobody would resume the queue of an agent.
      // What it spends is counted by the session that it works for.
      return { ...settings, stepBudget: settings.agents.requests, queueOnStop: 'return', budget: {} };
    },
    isShown: () => false,
    systemPrompt: (_of, sessionId) => withRole(ports.systemPrompt('child', sessionId), needs.role),
  };
}

function childTools(tools: ToolPort, role: AgentRole | undefined): ToolPort {
  const isGiven = ({ name }: Tool) => !NOT_FOR_CHILDREN.has(name) && mayUse(role?.tools, name);
  return {
    list: () => tools.list().filter(isGiven),
    find(name, own) {
      const tool = tools.find(name, own);
      return tool && isGiven(tool) ? tool : undefined;
    },
  };
}

function withRole(prompt: string, role: AgentRole | undefined): string {
  return role ? `${prompt}\n\n## Your role: ${role.name}\n\n${role.prompt}` : prompt;
}

/**
 * The parent's hooks. The first text of an agent waits here until there is a place for it: its turn is `starting`
 * meanwhile, so a stop ends it and texts for it wait, by the rules that hold for every session.
 */
function childHooks(hooks: HookPort, { mayBegin }: ChildNeeds): HookPort {
  let begun = false;
  const isFired = (event: HookEvent) => !NOT_FIRED.has(event) && hooks.has(event);
  return {
    has: (event) => (event === 'pre_llm_call' && !begun) || isFired(event),
    answers: (event, which) => isFired(event) && hooks.answers(event, which),
    async fire(event, payload, signal, which) {
      if (signal.aborted || !isFired(event)) return {};
      // The stop of the parent's turn is told once, by the parent (hooks.md section 3).
      if (event === 'agent_loop_stopped' && 'reason' in payload && payload.reason === BY_PARENT) return {};
      return await hooks.fire(event, payload, signal, which);
    },
    async ask(event, payload, signal, which) {
      if (event === 'pre_llm_call' && !begun) {
        await mayBegin(signal);
        begun = true;
      }
      return signal.aborted || !isFired(event) ? {} : await hooks.ask(event, payload, signal, which);
    },
    stream: (event, payload) => hooks.stream(event, payload),
    waitingFor: (sessionId) => hooks.waitingFor(sessionId),
  };
}
