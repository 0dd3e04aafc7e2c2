import type { HostFunction } from '../../harness/host.ts';

/** One turn of the extension host's event loop in which our code ran. */
export interface HostTurn {
  /** Milliseconds of the processor, at most those that samples found our code on the stack for. */
  readonly ours: number;
  /** Our functions that took longest in it, for the message of a test. */
  readonly where: readonly string[];
}

/** Begins to watch the turns of the host's event loop; `hostTurns` ends it. */
export const watchHostTurns: HostFunction<undefined, Promise<void>> = async (_api, _nothing, require) => {
  const { Session } = require('node:inspector/promises') as typeof import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  const now = (): number => Number(process.hrtime.bigint() / 1000n);
  const turns: { end: number; cpu: number }[] = [];
  let last = used();
  let over = false;
  const look = (): void => {
    const cpu = used();
    turns.push({ end: now(), cpu: cpu - last });
    last = cpu;
    if (!over) setTimeout(look, 1);
  };
  await session.post('Profiler.start');
  last = used();
  setTimeout(look, 1);
  const stop = async () => {
    over = true;
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return { profile, turns };
  };
  Reflect.set(globalThis, 'stopHostTurns', stop);
};

/** The turns in which our code worked longest, longest first. */
export const hostTurns: HostFunction<number, Promise<HostTurn[]>> = async (api, most) => {
  const folder = api.extensions.getExtension('midcourse.midcourse')?.extensionPath ?? 'nowhere';
  const stop: () => Promise<{
    profile: import('node:inspector').Profiler.Profile;
    turns: { end: number; cpu: number }[];
  }> = Reflect.get(globalThis, 'stopHostTurns');
  const { profile, turns } = await stop();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const ourFunctions = (id: number | undefined): string[] => {
    const found: string[] = [];
    for (let at = id; at !== undefined; at = parents.get(at)) {
      const frame = nodes.get(at)?.callFrame;
      // Code that is loaded for the first time: no repository makes that longer.
      if (frame?.url.startsWith('node:internal/modules/')) return [];
      if (!frame?.url.includes(`${folder}/dist/`)) continue;
      found.push(`${frame.functionName || '(anonymous)'} ${frame.url.split('/').at(-1)}:${frame.lineNumber + 1}`);
    }
    return found;
  };
  let turn = 0;
  let at = profile.startTime;
  const ours = turns.map(() => ({ time: 0, by: new Map<string, number>() }));
  for (const [index, sample] of (profile.samples ?? []).entries()) {
    const delta = profile.timeDeltas?.[index] ?? 0;
    at += delta;
    while (turn < turns.length - 1 && at > (turns[turn]?.end ?? 0)) turn++;
    const functions = ourFunctions(sample);
    const sum = ours[turn];
    if (functions.length === 0 || !sum) continue;
    sum.time += delta;
    for (const name of new Set(functions)) sum.by.set(name, (sum.by.get(name) ?? 0) + delta);
  }
  return ours
    .map(({ time, by }, index) => ({
      ours: Math.min(time, turns[index]?.cpu ?? 0) / 1000,
      where: [...by]
        .sort(([, one], [, other]) => other - one)
        .slice(0, 25)
        .map(([name, took]) => `${(took / 1000).toFixed(1)} ms ${name}`),
    }))
    .sort((one, other) => other.ours - one.ours)
    .slice(0, most);
};
