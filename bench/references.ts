/**
 * What other agents reach, measured on the same kind of machine (two shared cores, one fake model server, editor
 * products in VS Code 1.139): medians, 2026-11-29.
 */

import type { Reference } from './figure.ts';

const cline = (value: number): Reference => ({ name: 'Cline 4.1', value });
const builtIn = (value: number): Reference => ({ name: 'VS Code built-in agent', value });
const pi = (value: number): Reference => ({ name: 'pi 1.6', value });
const gemini = (value: number): Reference => ({ name: 'Gemini CLI 0.61', value });

export const references = {
  sendToRequest: [gemini(4.5), pi(4.9), cline(175), builtIn(248)],
  firstSendToRequest: [cline(406), builtIn(379)],
  stopToSocket: [gemini(1), pi(1.4), cline(6.9), builtIn(33.6)],
  stopToIdleHost: [gemini(2), pi(2.4)],
  stopToIdleChat: [cline(76), builtIn(122)],
  stopToIdleBehindBurst: [cline(160_000)],
  // The built-in agent was not complete after 420 s.
  burstPainted: [cline(238_000)],
  cpuPerDelta: [pi(34)],
  activation: [cline(2_300)],
  idleMemory: [cline(420)],
  vsixSize: [cline(9)],
} as const satisfies Readonly<Record<string, readonly Reference[]>>;
