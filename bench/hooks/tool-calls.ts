import { nativeHook } from '../../src/agent/hooks/index.ts';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { HookEvent, HookResult } from '../../src/hooks-api.ts';
import type { Answer } from '../../test/model-server/index.ts';
import { type Figure, median } from '../figure.ts';
import { onStage, type Stage } from './stage.ts';

const COUNTS = [0, 10, 100];
/** Tool calls of one answer. */
const CALLS = 50;
const RUNS = 41;
const WARM_UP = 5;
const TOOL = 'nothing_to_do';

type Kind = 'observe every result' | 'decide about every call';

/**
 * What one tool call costs this process, from the answer that asks for it to the next request: code hooks, all in one run.
 * CPU time, which says the same on a busy machine.
 */
export function toolCallFigures(): Promise<readonly Figure[]> {
  return onStage(async (stage) => {
    const input = { type: 'object', properties: {} };
    const tool = { name: TOOL, description: 'Does nothing.', inputSchema: input, readOnly: true };
    stage.tools.register({ ...tool, invoke: async () => 'Done.' });
    const kinds: readonly Kind[] = ['observe every result', 'decide about every call'];
    const measured = kinds.flatMap((kind) => COUNTS.map((count) => ({ kind, count, samples: [] as number[] })));
    for (let run = -WARM_UP; run < RUNS; run++) {
      // All of them in turns: what else the machine does hits all.
      for (const { kind, count, samples } of measured) {
        const sample = await oneTurn(stage, kind, count);
        if (run >= 0) samples.push(sample);
      }
    }
    return measured.map(({ kind, count, samples }) => {
      const bare = measured.find((other) => other.kind === kind && other.count === 0)?.samples ?? [];
      const references = count === 0 ? [] : [{ name: 'without hooks', value: median(bare) }];
      const name = `CPU of a tool call, ${count} hooks that ${kind}`;
      return { name, unit: 'µs', samples, references } satisfies Figure;
    });
  });
}

/** Microseconds for each call. */
async function oneTurn({ hooks, server, open }: Stage, kind: Kind, count: number): Promise<number> {
  hooks.replace(
    'bench',
    Array.from({ length: count }, (_, index) => hookOf(kind, index)),
  );
  await server.reset();
  const calls = Array.from({ length: CALLS }, (_, index) => ({ call: { id: `c${index}`, name: TOOL, input: {} } }));
  await server.script({ steps: calls } satisfies Answer, { steps: [{ text: 'Done.' }] });
  const session = open();
  const taken = callsOf(session);
  session.send('Go');
  await session.settled();
  session.dispose();
  return (await taken) / CALLS;
}

/** Microseconds of CPU between the end of the first request and the start of the second. */
function callsOf(session: LiveSession): Promise<number> {
  return new Promise((resolve) => {
    let answered = process.cpuUsage();
    const listening = session.onDidEmit((event) => {
      if (event.type === 'request.ended' && event.request === 1) answered = process.cpuUsage();
      if (event.type !== 'request.started' || event.request !== 2) return;
      const { user, system } = process.cpuUsage(answered);
      resolve(user + system);
      listening.dispose();
    });
  });
}

function hookOf(kind: Kind, index: number) {
  const event: HookEvent = kind === 'observe every result' ? 'post_tool_call' : 'pre_tool_call';
  const name = `hook ${index}`;
  const handle = (): HookResult | undefined => undefined;
  return nativeHook({ id: `bench:${event}:${index}`, event, name, source: { is: 'extension' }, handle });
}
