/** What is measured through the extension API alone. */

import { BURST_TOKENS, burst, short, unfinished } from '../answers.ts';
import type { Figure } from '../figure.ts';
import { references } from '../references.ts';
import { defined, modelRequests, type Rig } from '../rig.ts';
import { cpuOfOneAnswer, sendTurns, stopTurns } from './host-functions.ts';

/** API send → the request's head at the server: the first of a window, and the later ones. */
export async function apiSend({ window, server }: Rig): Promise<readonly Figure[]> {
  await server.fallback(short);
  const sent = await window.run(sendTurns, 31);
  const requests = await modelRequests(server);
  const delays = sent.map((at, index) => defined(requests[index], 'a request for each turn').arrivedAt - at);
  const [first = Number.NaN, ...later] = delays;
  return [
    {
      name: 'API send → request at the server',
      unit: 'ms',
      samples: later,
      aim: 5,
      references: references.sendToRequest,
    },
    {
      name: 'first API send of a window → request',
      unit: 'ms',
      samples: [first],
      references: references.firstSendToRequest,
    },
  ];
}

/** API stop in mid-text → socket closed at the server, and → turn ended in the host. */
export async function apiStop({ window, server }: Rig): Promise<readonly Figure[]> {
  await server.fallback(unfinished(''));
  const times = await window.run(stopTurns, 21);
  const requests = await modelRequests(server);
  const sockets = times.map(({ stopped }, index) => {
    const { closing } = defined(requests[index], 'a request for each turn');
    if (closing?.by !== 'client') throw new Error(`Request ${index} was closed by ${closing?.by ?? 'nobody'}`);
    return closing.at - stopped;
  });
  return [
    { name: 'API stop → socket closed', unit: 'ms', samples: sockets, aim: 2, references: references.stopToSocket },
    {
      name: 'API stop → turn ended in the host',
      unit: 'ms',
      samples: times.map(({ stopped, ended }) => ended - stopped),
      references: references.stopToIdleHost,
    },
  ];
}

/** CPU of the extension host for each streamed delta of a 20,000-token answer. */
export async function cpuPerDelta({ window, server }: Rig): Promise<readonly Figure[]> {
  await server.fallback(burst('the end'));
  await window.run(cpuOfOneAnswer);
  const runs: { cpu: number; longestBlock: number }[] = [];
  for (let run = 0; run < 5; run++) runs.push(await window.run(cpuOfOneAnswer));
  return [
    {
      name: 'CPU of the host for each streamed delta',
      unit: 'µs',
      samples: runs.map(({ cpu }) => cpu / BURST_TOKENS),
      aim: 30,
      references: references.cpuPerDelta,
      note: '20,000 deltas at once, first answer left out',
    },
    {
      name: 'longest pause of the host’s event loop in such an answer',
      unit: 'ms',
      samples: runs.map(({ longestBlock }) => longestBlock),
      references: [],
    },
  ];
}
