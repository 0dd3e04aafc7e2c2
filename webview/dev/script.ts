/** Builders of what a host would send. Each value is one of the protocol; overrides say what a scene is about. */

import type { ChildAgent, Item, Part, SessionEvent, TranscriptRow, TurnResult } from '../../src/api.ts';
import type { EventsMessage, Snapshot } from '../../src/protocol/index.ts';
import { realCall, realCard } from './real-tools.ts';

let lastSeq = 0;

export function seq(): number {
  return ++lastSeq;
}

export const usage = { input: 5_200, output: 1_340, cacheRead: 41_000, cacheWrite: 900, reasoning: 0, costUsd: 0.0432 };

export function snapshot(overrides: Partial<Snapshot> = {}): Snapshot {
  return {
    type: 'snapshot',
    seq: 0,
    session: { id: 's1', title: 'Mend the cart total' },
    rows: [],
    hasOlder: false,
    turnResults: [],
    items: [],
    approvals: [],
    questions: [],
    state: { state: 'idle' },
    live: null,
    meter: { contextUsed: 47_100, contextWindow: 200_000, usage, costUsd: 0.43 },
    model: { ref: 'anthropic/claude-sonnet-4-5', label: 'Claude Sonnet 4.5', practice: false },
    processes: [],
    children: [],
    settings: {
      busyInput: 'steer',
      fontSize: 0,
      fontFamily: 'default',
      editorFontSize: 12,
      editorFontFamily: '',
      platform: 'linux',
    },
    workspace: { folders: ['shop'], trusted: true },
    welcome: {
      suggestions: [
        {
          title: 'Explain this project',
          prompt: 'Explain what this project does, how it is built and where to start reading.',
        },
        { title: 'Mend the failing tests', prompt: 'Run the tests, find out why they fail and mend what is wrong.' },
        {
          title: 'Clear the problems',
          prompt: 'Read the problems that the editor shows, explain them and mend the mistakes.',
        },
      ],
      modelHint: {
        text: 'Claude Sonnet 4.5 answers.',
        actions: [{ label: 'Select model', command: 'midcourse.selectModel' }],
      },
    },
    draft: '',
    ...overrides,
  };
}

export function user(turnId: string, text: string, overrides: Partial<TranscriptRow> = {}): TranscriptRow {
  const number = seq();
  return {
    id: `row${number}`,
    seq: number,
    turnId,
    request: 1,
    role: 'user',
    kind: 'message',
    parts: [{ type: 'text', text, itemId: `item${number}` }],
    itemIds: [`item${number}`],
    displayText: text,
    ...overrides,
  };
}

export function answer(
  turnId: string,
  request: number,
  text: string,
  calls: readonly { readonly callId: string; readonly name: string; readonly input: unknown }[] = [],
  overrides: Partial<TranscriptRow> = {},
): TranscriptRow {
  const number = seq();
  const parts: Part[] = [
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...calls.map((call) => ({ type: 'tool_call' as const, ...realCall(call) })),
  ];
  return {
    id: `row${number}`,
    seq: number,
    turnId,
    request,
    role: 'assistant',
    kind: 'text',
    parts,
    displayText: text,
    ...overrides,
  };
}

export function toolResult(
  turnId: string,
  callId: string,
  text: string,
  card: NonNullable<TranscriptRow['card']>,
  status: TranscriptRow['status'] & string = 'success',
): TranscriptRow {
  const number = seq();
  return {
    id: `row${number}`,
    seq: number,
    turnId,
    request: 1,
    role: 'tool',
    kind: 'tool_result',
    parts: [{ type: 'text', text }],
    displayText: text,
    callId,
    status,
    card: realCard(callId, card, status),
  };
}

/** What stands for all rows before it. */
export function summary(turnId: string, text: string): TranscriptRow {
  const number = seq();
  return {
    id: `row${number}`,
    seq: number,
    turnId,
    role: 'notice',
    kind: 'summary',
    parts: [],
    displayText: null,
    providerText: text,
    keepsFrom: number,
  };
}

export function turnResult(turnId: string, overrides: Partial<TurnResult> = {}): TurnResult {
  return {
    turnId,
    exitReason: 'answered',
    completed: true,
    interrupted: false,
    failed: false,
    partial: false,
    survivors: [],
    finalText: 'Done.',
    requests: 4,
    attempts: 4,
    usage,
    durationMs: 72_000,
    ...overrides,
  };
}

export function item(kind: Item['kind'], text: string, overrides: Partial<Item> = {}): Item {
  const number = seq();
  return {
    id: `item${number}`,
    sentAs: kind,
    kind,
    text,
    attachments: [],
    seq: number,
    revision: 1,
    origin: 'view',
    state: { is: 'pending' },
    ...overrides,
  };
}

export function agent(name: string, task: string, overrides: Partial<ChildAgent> = {}): ChildAgent {
  return {
    id: `agent-${name}`,
    name,
    task,
    turnId: 't1',
    callId: `delegate-${name}`,
    mode: 'foreground',
    state: 'running',
    startedAt: Date.now() - 48_000,
    requests: 3,
    usage: { input: 2_100, output: 640, cacheRead: 9_800, cacheWrite: 0, reasoning: 0, costUsd: 0.0121 },
    activity: [],
    ...overrides,
  };
}

type WithoutHead<T> = T extends unknown ? Omit<T, 'seq' | 'at'> : never;

/** One batch that goes on from `from`. */
export function events(from: number, ...happened: readonly WithoutHead<SessionEvent>[]): EventsMessage {
  const numbered = happened.map(
    (event, index) => ({ ...event, seq: from + index + 1, at: Date.now() }) as SessionEvent,
  );
  return { type: 'events', from, to: from + happened.length, events: numbered };
}
