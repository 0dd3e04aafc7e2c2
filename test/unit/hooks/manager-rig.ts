import { type Hook, type HookLimits, HookManager, type HookProblem } from '../../../src/agent/hooks/index.ts';
import type { Log } from '../../../src/agent/turn/types.ts';
import type { HookEvent, HookPayload, HookPayloads } from '../../../src/hooks-api.ts';
import { ManualClock } from './manual-clock.ts';

/** A dispatcher whose clock stands, and what it told. */
export function managerRig(limits: Partial<HookLimits> = {}, streamsReasoning: () => boolean = () => false) {
  const clock = new ManualClock();
  const problems: HookProblem[] = [];
  const logged: string[] = [];
  const write = (message: string) => void logged.push(message);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const report = (problem: HookProblem) => void problems.push(problem);
  const manager = new HookManager({ log, clock, limits, report, streamsReasoning });
  return { manager, clock, problems, logged, log };
}

/** A hook of another extension that does what `run` does, with what is given changed. */
export function testHook(change: Partial<Hook> & Pick<Hook, 'event'>): Hook {
  return {
    id: change.name ?? 'hook',
    declaredAs: change.event,
    dialect: 'midcourse',
    source: { is: 'extension' },
    kind: 'code',
    name: 'hook',
    timeout: 30_000,
    failClosed: false,
    answers: false,
    matches: () => true,
    run: async () => ({ answer: {} }),
    ...change,
  };
}

const base = {
  schema: 'midcourse.hooks.v1',
  session_id: 's1',
  session_key: 's1',
  turn_id: 't1',
  platform: 'vscode',
  cwd: '/project',
} as const;

/** @param _event only for the shape of the rest */
export function payloadOf<E extends HookEvent>(_event: E, own: HookPayloads[E], session = 's1'): HookPayload<E> {
  const payload: unknown = { ...base, session_id: session, session_key: session, ...own };
  return payload as HookPayload<E>;
}

/** A call of the terminal, before it runs. */
export const callPayload = payloadOf('pre_tool_call', {
  tool_call_id: 'c1',
  tool_name: 'terminal',
  tool_input: { command: 'ls', timeout: 5 },
});

/** Never ends by itself. */
export const hangs = () => new Promise<never>(() => {});

export const never = new AbortController().signal;
