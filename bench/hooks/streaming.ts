import { nativeHook } from '../../src/agent/hooks/index.ts';
import { type Figure, median } from '../figure.ts';
import { onStage, type Stage } from './stage.ts';

const DELTAS = 400;
/** Milliseconds that the slow consumer takes for each delta. */
const SLOW = 50;
const RUNS = 61;
const WARM_UP = 3;

/** How long a turn takes whose answer a hook is told of, delta by delta: with a slow one, a quick one and none. */
export function streamingFigures(): Promise<readonly Figure[]> {
  return onStage(async (stage) => {
    await stage.server.reset();
    await stage.server.fallback({ steps: [{ burst: { text: 'token ', times: DELTAS } }] });
    const consumers = [
      { name: 'nobody', consumer: undefined },
      { name: 'a quick hook', consumer: () => undefined },
      { name: `a hook that takes ${SLOW} ms for each delta`, consumer: slowly },
    ].map((one) => ({ ...one, samples: [] as number[] }));
    for (let run = -WARM_UP; run < RUNS; run++) {
      for (const { consumer, samples } of consumers) {
        const sample = await oneTurn(stage, consumer);
        if (run >= 0) samples.push(sample);
      }
    }
    const untold = consumers[0]?.samples ?? [];
    return consumers.map(({ name, samples }, index) => ({
      name: `a turn of ${DELTAS} deltas, told to ${name}`,
      unit: 'ms',
      samples,
      references: index === 0 ? [] : [{ name: 'told to nobody', value: median(untold) }],
      ...(index > 0 && { note: `median difference in a run: ${difference(samples, untold)}` }),
    }));
  });
}

/** Of turns that followed each other: what else the machine does hits both. */
function difference(samples: readonly number[], others: readonly number[]): string {
  const ms = median(samples.map((sample, run) => sample - (others[run] ?? sample)));
  return `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(2)} ms`;
}

function slowly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SLOW));
}

/** Milliseconds from the text to the end of the turn. */
async function oneTurn({ hooks, open }: Stage, consumer: (() => unknown) | undefined): Promise<number> {
  const hook = (handle: () => unknown) =>
    nativeHook({ id: 'bench', event: 'on_stream_delta', name: 'bench', source: { is: 'extension' }, handle });
  hooks.replace('bench', consumer ? [hook(consumer)] : []);
  const session = open();
  const started = performance.now();
  session.send('Go');
  await session.settled();
  const taken = performance.now() - started;
  session.dispose();
  // What still waits for the slow one shall not run beside the next turn.
  hooks.replace('bench', []);
  return taken;
}
