import type { ModelWire } from '../../src/agent/model/types.ts';
import type { ModelServerClient } from '../../test/model-server/index.ts';
import { requestOf, type TestedWire, WIRES } from '../../test/unit/model/wire-fixture.ts';
import type { Figure } from '../figure.ts';
import { type AskSdk, sdksFor } from './sdks.ts';

const TOKENS = 20_000;
const RUNS = 9;

/**
 * CPU time of this process for each streamed delta, and the time to the first part: ours and the vendor's SDK in turns,
 * over the same answer of 20,000 deltas. The model server is another process.
 */
export async function streamingFigures(server: ModelServerClient): Promise<readonly Figure[]> {
  const sdks = sdksFor(server.origin);
  const figures: Figure[] = [];
  for (const tested of WIRES) {
    const other = sdks[tested.name];
    if (other === undefined) continue;
    figures.push(...(await compare(tested, other.sdk, other.ask, server)));
  }
  return figures;
}

interface Samples {
  readonly cpu: number[];
  readonly first: number[];
}

async function compare(
  tested: TestedWire,
  sdk: string,
  askSdk: AskSdk,
  server: ModelServerClient,
): Promise<readonly Figure[]> {
  await server.reset();
  await server.fallback({ steps: [{ burst: { text: 'token ', times: TOKENS } }] });
  const wire = tested.create(server, { apiKey: 'bench' });
  const ours: Samples = { cpu: [], first: [] };
  const theirs: Samples = { cpu: [], first: [] };
  for (let run = -2; run < RUNS; run++) {
    // In turns, the first by turns too: what else the machine does hits both.
    const order = run % 2 === 0 ? [() => askOurs(wire), askSdk] : [askSdk, () => askOurs(wire)];
    for (const ask of order) {
      const sample = await measured(ask);
      const samples = ask === askSdk ? theirs : ours;
      if (run < 0) continue;
      samples.cpu.push(sample.cpu / TOKENS);
      samples.first.push(sample.first);
    }
  }
  return [
    figure(`${tested.name}: CPU for each delta`, 'µs', ours.cpu, theirs.cpu, sdk),
    figure(`${tested.name}: time to the first part`, 'ms', ours.first, theirs.first, sdk),
  ];
}

function figure(
  name: string,
  unit: 'µs' | 'ms',
  ours: readonly number[],
  theirs: readonly number[],
  sdk: string,
): Figure {
  const reference = { name: sdk, value: middle(theirs) };
  return { name, unit, samples: ours, aim: 1.5, aimIsRatio: true, references: [reference] };
}

function middle(samples: readonly number[]): number {
  const value = samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
  if (value === undefined) throw new Error('Nothing was measured.');
  return value;
}

async function measured(ask: AskSdk): Promise<{ readonly cpu: number; readonly first: number }> {
  const before = process.cpuUsage();
  const first = await ask();
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, first };
}

/** Milliseconds until the first text. */
async function askOurs(wire: ModelWire): Promise<number> {
  const started = performance.now();
  let first: number | undefined;
  for await (const part of wire.stream(requestOf(), new AbortController().signal)) {
    if (part.type === 'text') first ??= performance.now() - started;
    if (part.type === 'error') throw new Error(part.error.detail);
  }
  if (first === undefined) throw new Error('There was no text.');
  return first;
}
