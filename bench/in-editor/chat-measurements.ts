/** What is measured with keys and clicks in the chat, until it is painted. */

import type { Frame } from 'playwright-core';
import { testIds } from '../../src/protocol/test-ids.ts';
import { burst, oneTokenOnDemand, short, unfinished } from '../answers.ts';
import { type Figure, median, type Reference } from '../figure.ts';
import { references } from '../references.ts';
import { closedRequest, defined, modelRequest, type Rig } from '../rig.ts';
import { roundTrips } from './host-functions.ts';
import { type Condition, type Painted, streamIntoPlainPage, watch, watched } from './page-functions.ts';

/** Enter in the composer → the request's head at the server. */
export async function enterToRequest(rig: Rig): Promise<readonly Figure[]> {
  const { server, window } = rig;
  await server.fallback(short);
  const page = await openChat(rig);
  const delays: number[] = [];
  for (let turn = 0; turn < 16; turn++) {
    await window.chat.type(`Message ${turn}`);
    const outcome = await observe(page, { idle: true }, () => window.chat.composer.press('Enter'));
    const request = await closedRequest(server, turn);
    delays.push(request.arrivedAt - outcome.pressed);
    await idle(rig);
  }
  return [
    {
      name: 'Enter → request at the server',
      unit: 'ms',
      samples: delays.slice(1),
      aim: 15,
      references: [await roundTrip(rig), ...references.sendToRequest],
    },
  ];
}

/** The first token leaves the server → it is painted. */
export async function firstTokenToPainted(rig: Rig): Promise<readonly Figure[]> {
  const { server, window } = rig;
  const page = await openChat(rig);
  const delays: number[] = [];
  for (let turn = 0; turn < 16; turn++) {
    const marker = `first-token-${turn}`;
    await server.script(oneTokenOnDemand(marker));
    await window.chat.send('Answer');
    const index = await modelRequest(server, turn);
    await server.wait(index, 'paused', 'go');
    const outcome = await observe(page, { shows: marker }, () => server.release({ request: index, name: 'go' }));
    const request = await closedRequest(server, turn);
    delays.push(outcome.painted - defined(request.firstWriteAt, 'the first write'));
    await idle(rig);
  }
  return [
    {
      name: 'first token at the server → painted',
      unit: 'ms',
      samples: delays.slice(1),
      references: [await roundTrip(rig)],
    },
  ];
}

/** The Stop button and Escape in mid-text → socket closed, and → the chat shows idle. */
export async function stopInChat(rig: Rig): Promise<readonly Figure[]> {
  const button = await stopRuns(rig, 'button', 12);
  const key = await stopRuns(rig, 'Escape', 12);
  const trip = await roundTrip(rig);
  const named = (by: string, runs: readonly StopRun[]): Figure[] => [
    {
      name: `Stop by ${by} → socket closed`,
      unit: 'ms',
      samples: runs.map((run) => run.socket),
      references: references.stopToSocket,
    },
    {
      name: `Stop by ${by} → chat idle`,
      unit: 'ms',
      samples: runs.map((run) => run.idle),
      aim: 33,
      references: [trip, ...references.stopToIdleChat],
    },
  ];
  return [...named('button', button), ...named('Escape', key)];
}

/** Stop right behind a 20,000-token burst of which the server has sent everything. */
export async function stopBehindBurst(rig: Rig): Promise<readonly Figure[]> {
  const { server, window } = rig;
  const page = await openChat(rig);
  const delays: number[] = [];
  for (let run = 0; run < 5; run++) {
    await server.script(burst(`burst-${run}`, { standing: true }));
    await window.chat.send('Write a lot');
    await server.wait(await modelRequest(server, run), 'paused', 'never');
    const outcome = await observe(page, { idle: true }, () => window.chat.byId(testIds.stop).click());
    delays.push(outcome.painted - outcome.pressed);
  }
  return [
    {
      name: 'stop → chat idle, right behind a 20,000-token burst',
      unit: 'ms',
      samples: delays,
      aim: 33,
      references: [await roundTrip(rig), ...references.stopToIdleBehindBurst],
    },
  ];
}

/** 20,000 tokens as fast as possible until painted, against a plain page that is fed the same stream. */
export async function burstPainted(rig: Rig): Promise<readonly Figure[]> {
  const { server, window } = rig;
  const page = await openChat(rig);
  const ours: number[] = [];
  const longest: number[] = [];
  for (let run = 0; run < 5; run++) {
    const marker = `burst-${run}`;
    await server.script(burst(marker));
    const outcome = await observe(page, { shows: marker }, () => window.chat.send('Write a lot'));
    const request = await closedRequest(server, run);
    ours.push(outcome.painted - defined(request.firstWriteAt, 'the first write'));
    longest.push(Math.max(0, ...outcome.longTasks));
    await idle(rig);
    await window.command('midcourse.newSession');
  }
  const plain = await plainPage(rig);
  return [
    {
      name: '20,000 tokens at once → painted',
      unit: 'ms',
      samples: ours,
      aim: 1.3,
      aimIsRatio: true,
      references: [{ name: 'a plain page fed the same stream', value: plain.median }, ...references.burstPainted],
    },
    {
      name: 'longest main-thread task of the chat meanwhile',
      unit: 'ms',
      samples: longest,
      references: [{ name: 'the plain page', value: Math.max(50, plain.longestTask) }],
      note: '0: none of 50 ms or more',
    },
  ];
}

/** What a key or click pays at least: its way through VS Code to the extension host and back. */
async function roundTrip({ window }: Rig): Promise<Reference> {
  const took = await window.run(roundTrips, 50);
  return { name: 'a call from the host to the window and back', value: median(took) };
}

interface StopRun {
  readonly socket: number;
  readonly idle: number;
}

async function stopRuns(rig: Rig, by: 'button' | 'Escape', runs: number): Promise<readonly StopRun[]> {
  const { server, window } = rig;
  await server.reset();
  const page = await openChat(rig);
  const times: StopRun[] = [];
  for (let run = 0; run <= runs; run++) {
    const marker = `${by}-${run}`;
    await server.script(unfinished(marker));
    await observe(page, { shows: marker }, () => window.chat.send('Work'));
    const outcome = await observe(page, { idle: true }, async () => {
      if (by === 'button') await window.chat.byId(testIds.stop).click();
      else await window.chat.composer.press('Escape');
    });
    const { closing } = await closedRequest(server, run);
    times.push({
      socket: defined(closing, 'the end of the request').at - outcome.pressed,
      idle: outcome.painted - outcome.pressed,
    });
  }
  return times.slice(1);
}

async function plainPage(rig: Rig): Promise<{ median: number; longestTask: number }> {
  const { server, window } = rig;
  await server.reset();
  const page = await window.page.context().newPage();
  await page.goto(`${server.origin}/v1/models`);
  const times: number[] = [];
  let longestTask = 0;
  for (let run = 0; run < 6; run++) {
    await server.script(burst('the-end'));
    const outcome = await page.evaluate(streamIntoPlainPage, 'the-end');
    const request = await closedRequest(server, run);
    times.push(outcome.painted - defined(request.firstWriteAt, 'the first write'));
    longestTask = Math.max(longestTask, ...outcome.longTasks);
  }
  await page.close();
  return { median: median(times.slice(1)), longestTask };
}

/** The chat in front, with a fresh session. @returns the page inside its webview */
async function openChat({ window }: Rig): Promise<Frame> {
  await window.chat.open();
  await window.command('midcourse.newSession');
  await window.chat.open();
  const composer = await window.chat.composer.elementHandle();
  return defined((await composer?.ownerFrame()) ?? undefined, 'the page of the chat');
}

async function observe(page: Frame, condition: Condition, act: () => Promise<unknown>): Promise<Painted> {
  await page.evaluate(watch, condition);
  await act();
  return page.evaluate(watched);
}

async function idle({ window }: Rig): Promise<void> {
  await window.chat.byId(testIds.stop).waitFor({ state: 'hidden' });
}
