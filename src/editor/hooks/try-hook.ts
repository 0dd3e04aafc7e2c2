import { decidedWords, type Hook, HookFailure, type HookReply, type HookRun } from '../../agent/hooks/index.ts';
import { type SampleFacts, samplePayload } from '../../agent/hooks/sample-payload.ts';

export type TriedRun = Omit<HookRun, 'hookId'>;

/** Runs a hook once with a sample of what its event tells, outside of any turn: what it answers has no effect. */
export async function tryHook(hook: Hook, facts: SampleFacts, signal: AbortSignal): Promise<TriedRun> {
  const payload = samplePayload(hook, facts);
  const startedAt = Date.now();
  const outcome = await outcomeOf(hook, payload, AbortSignal.any([signal, AbortSignal.timeout(hook.timeout)]));
  return { event: hook.event, startedAt, durationMs: Date.now() - startedAt, ...outcome };
}

type Outcome = Omit<HookRun, 'hookId' | 'event' | 'startedAt' | 'durationMs'>;

async function outcomeOf(hook: Hook, payload: Parameters<Hook['run']>[0], signal: AbortSignal): Promise<Outcome> {
  try {
    const reply = await hook.run(payload, signal);
    return { outcome: 'ok', decided: decidedWords(hook, reply.answer), ...outputsOf(reply) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const timeout = signal.aborted || (error instanceof HookFailure && error.kind === 'timeout');
    const outputs = error instanceof HookFailure ? outputsOf(error) : {};
    return { outcome: timeout ? 'timeout' : 'failed', decided: decidedWords(hook, {}), problem, ...outputs };
  }
}

function outputsOf({ exitCode, stdin, stdout, stderr, ...rest }: Outputs): Partial<Outcome> {
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr }),
    ...('warnings' in rest && rest.warnings ? { warnings: rest.warnings } : {}),
  };
}

type Outputs = { readonly exitCode?: number | null | undefined } & Pick<
  HookReply,
  'stdin' | 'stdout' | 'stderr' | 'warnings'
>;
