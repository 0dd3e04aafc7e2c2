/** The agent by itself: the real loop, store, tools and wire in plain Node, as terminal agents run. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { warmUp } from '../src/agent/model/index.ts';
import { openStore } from '../src/agent/session/index.ts';
import { ToolRegistry } from '../src/agent/tools/index.ts';
import { Agent } from '../src/agent/turn/index.ts';
import type { ModelServerClient } from '../test/model-server/index.ts';
import { BURST_TOKENS, burst, short, unfinished } from './answers.ts';
import type { Figure } from './figure.ts';
import { cpuOfOneAnswer, sendTurns, stopTurns } from './in-editor/host-functions.ts';
import { ServerProcess } from './model-server.ts';
import { agentPorts } from './ports.ts';
import { references } from './references.ts';
import { closedRequest, defined, modelRequests } from './rig.ts';

const RUNS = 5;

export async function loopFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'midcourse-bench-'));
  await using process = await ServerProcess.start();
  const { client: server } = process;
  const { store } = openStore(folder);
  const agent = new Agent(agentPorts(server, store, folder, new ToolRegistry()));
  const api = editorWith(agent);
  try {
    await warmUp();
    return [...(await sending(api, server)), ...(await stopping(api, server)), ...(await streaming(api, server))];
  } finally {
    agent.dispose();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sending(api: typeof vscode, server: ModelServerClient): Promise<readonly Figure[]> {
  await server.fallback(short);
  const sent = await sendTurns(api, 101);
  const requests = await modelRequests(server);
  const samples = sent.slice(1).map((at, index) => defined(requests[index + 1], 'a request').arrivedAt - at);
  return [
    { name: 'without an editor: send → request', unit: 'ms', samples, aim: 5, references: references.sendToRequest },
  ];
}

async function stopping(api: typeof vscode, server: ModelServerClient): Promise<readonly Figure[]> {
  await server.reset();
  await server.fallback(unfinished(''));
  const times = await stopTurns(api, 51);
  // The server sees the end of the last one a moment after the host.
  await closedRequest(server, times.length - 1);
  const requests = await modelRequests(server);
  const samples = times.map(
    ({ stopped }, index) => defined(requests[index]?.closing, 'the end of a request').at - stopped,
  );
  return [
    {
      name: 'without an editor: stop → socket closed',
      unit: 'ms',
      samples,
      aim: 2,
      references: references.stopToSocket,
    },
    {
      name: 'without an editor: stop → turn ended',
      unit: 'ms',
      samples: times.map(({ stopped, ended }) => ended - stopped),
      references: references.stopToIdleHost,
    },
  ];
}

async function streaming(api: typeof vscode, server: ModelServerClient): Promise<readonly Figure[]> {
  await server.reset();
  await server.fallback(burst('the end'));
  const require = createRequire(import.meta.url);
  const samples: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const { cpu } = await cpuOfOneAnswer(api, undefined, require);
    samples.push(cpu / BURST_TOKENS);
  }
  return [
    {
      name: 'without an editor: CPU for each streamed delta',
      unit: 'µs',
      samples: samples.slice(1),
      aim: 30,
      references: references.cpuPerDelta,
    },
  ];
}

/** As much of VS Code as the functions for the extension host look at. */
function editorWith(agent: Agent): typeof vscode {
  const midcourse = { sessions: { create: async () => agent.create() } };
  const extension = { activate: async () => midcourse };
  return { extensions: { getExtension: () => extension } } as unknown as typeof vscode;
}
