/**
 * Functions that run inside the extension host. They are sent as source, so each sees only its parameters.
 * Times are milliseconds since the epoch with fractions, comparable between the processes of one machine.
 */

import type * as vscode from 'vscode';
import type { MidcourseApi } from '../../src/api.ts';

/** Sends messages one after the other, each when the turn before has settled. @returns when each was sent */
export async function sendTurns(api: typeof vscode, turns: number): Promise<number[]> {
  const midcourse: MidcourseApi = await api.extensions.getExtension('midcourse.midcourse')?.activate();
  const session = await midcourse.sessions.create();
  const sent: number[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    sent.push(performance.timeOrigin + performance.now());
    const receipt = session.send(`Message ${turn}`);
    if (receipt.outcome === 'refused') throw new Error(receipt.message);
    const result = await session.settled();
    if (result.exitReason !== 'answered') throw new Error(`${result.exitReason}: ${result.error?.message}`);
  }
  return sent;
}

/** Stops each turn at its first delta. @returns when stop was called and when the turn had ended */
export async function stopTurns(api: typeof vscode, turns: number): Promise<{ stopped: number; ended: number }[]> {
  const midcourse: MidcourseApi = await api.extensions.getExtension('midcourse.midcourse')?.activate();
  const session = await midcourse.sessions.create();
  const times: { stopped: number; ended: number }[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const ended = Promise.withResolvers<number>();
    let stopped = 0;
    const listening = session.onDidEmit((event) => {
      if (event.type === 'delta' && stopped === 0) {
        stopped = performance.timeOrigin + performance.now();
        session.stop();
      }
      if (event.type === 'turn.ended') ended.resolve(performance.timeOrigin + performance.now());
    });
    session.send(`Message ${turn}`);
    times.push({ ended: await ended.promise, stopped });
    await session.settled();
    listening.dispose();
  }
  return times;
}

/**
 * CPU time of the whole extension host, all threads, while one answer streams, and the longest time for which its event
 * loop stood still.
 * @returns microseconds, milliseconds
 */
export async function cpuOfOneAnswer(
  api: typeof vscode,
  _argument: undefined,
  require: NodeJS.Require,
): Promise<{ cpu: number; longestBlock: number }> {
  const { monitorEventLoopDelay }: typeof import('node:perf_hooks') = require('node:perf_hooks');
  const midcourse: MidcourseApi = await api.extensions.getExtension('midcourse.midcourse')?.activate();
  const session = await midcourse.sessions.create();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  session.send('Write a lot');
  const result = await session.settled();
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  if (result.exitReason !== 'answered') throw new Error(`${result.exitReason}: ${result.error?.message}`);
  return { cpu: user + system, longestBlock: delay.max / 1e6 };
}

/** The least that any message between host and window costs: a command that does nothing there. @returns milliseconds */
export async function roundTrips(api: typeof vscode, times: number): Promise<number[]> {
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const start = performance.now();
    await api.commands.executeCommand('setContext', 'midcourse.bench', time);
    took.push(performance.now() - start);
  }
  return took;
}

/** Runs the garbage collector. @returns bytes */
export async function memoryAtRest(
  _api: typeof vscode,
  _argument: undefined,
  require: NodeJS.Require,
): Promise<{ resident: number; heap: number }> {
  const v8: typeof import('node:v8') = require('node:v8');
  const vm: typeof import('node:vm') = require('node:vm');
  v8.setFlagsFromString('--expose-gc');
  const collect: () => void = vm.runInNewContext('gc');
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, heap: heapUsed + external };
}

/** What VS Code itself noted about an activation. @returns milliseconds */
export async function activationTimes(
  api: typeof vscode,
  id: string,
): Promise<{ loading: number; activating: number }> {
  await api.extensions.getExtension(id)?.activate();
  const marks: { name: string; startTime: number }[] = Reflect.get(globalThis, 'MonacoPerformanceMarks').getMarks();
  const at = (name: string): number => {
    const mark = marks.find((one) => one.name === `code/extHost/${name}/${id}`);
    if (!mark) throw new Error(`VS Code noted no ${name}`);
    return mark.startTime;
  };
  return {
    loading: at('didLoadExtensionCode') - at('willLoadExtensionCode'),
    activating: at('didActivateExtension') - at('willActivateExtension'),
  };
}
