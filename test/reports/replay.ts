import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { SessionEvent, TranscriptRow } from '../../src/api.ts';
import type { RecordedRequest } from '../model-server/index.ts';
import { event, Rig, type WireName } from '../unit/turn/rig.ts';

export type { WireName };
export { event, Rig };
export const wires = ['openai-chat', 'anthropic'] as const satisfies readonly WireName[];

export interface Stage {
  readonly rig: Rig;
  session: LiveSession;
}

/** A rig for each case. Afterwards no request may have been one that the real API answers with 400. */
export function replay(wire: WireName): () => Stage {
  let stage: Stage;
  beforeEach(async () => {
    const rig = await Rig.start(wire);
    stage = { rig, session: rig.agent.create() };
  });
  afterEach(async () => {
    await stage.rig.close();
    assertAccepted(stage.rig);
  });
  return () => stage;
}

export function assertAccepted({ server }: Rig): void {
  assert.deepEqual(
    server.requests.flatMap((request) => request.invalid ?? []),
    [],
  );
}

export function call(name: string, input: unknown, id?: string) {
  return { call: { name, input, ...(id === undefined ? {} : { id }) } };
}

/** A command that runs until the test writes the file `go`. */
export const UNTIL_GO = 'until [ -f go ]; do sleep 0.02; done';

/** As a user who allows whatever is asked. */
export function allowAll(session: LiveSession): void {
  session.onDidEmit((seen) => {
    if (seen.type === 'approval.opened') session.answer(seen.id, 'once');
  });
}

/** Resolves when nothing runs and nothing is about to. */
export async function idle(session: LiveSession): Promise<void> {
  while (session.state !== 'idle') await session.settled();
}

/** Sends one more message and resolves with its request: the session works, and asked for nothing else meanwhile. */
export async function answersOnly(rig: Rig, session: LiveSession, text: string): Promise<RecordedRequest> {
  rig.server.forgetScripts();
  const since = session.seq;
  const receipt = session.send(text);
  assert.equal(receipt.outcome, 'started');
  const result = await session.settled(receipt.turnId);
  assert.equal(result.exitReason, 'answered');
  const asked = session.events(since).filter((seen) => seen.type === 'request.started');
  assert.equal(asked.length, 1, 'exactly one request, for the new message');
  const request = rig.server.requests.at(-1);
  assert.ok(request);
  return request;
}

/** The texts of a request's messages, each as JSON, without cache marks. */
export function messagesOf(request: RecordedRequest | undefined): readonly string[] {
  const { messages } = (request?.body ?? {}) as { messages?: readonly unknown[] };
  assert.ok(messages, 'there is no such request');
  return messages.map((message) => JSON.stringify(withoutMarks(message)));
}

export function sent(rig: Rig, index: number): string {
  return messagesOf(rig.server.requests[index]).join('\n');
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'cache_control')
      .map(([key, inner]) => [key, withoutMarks(inner)]),
  );
}

export function statuses(session: LiveSession): readonly string[] {
  return session.rows().flatMap((row) => row.status ?? []);
}

export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** False also for a zombie: it runs no more, and only its parent can take it away. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** What has to be true of every session at any time, whatever was done to it. */
export function assertTrue(session: LiveSession, rig: Rig, ids: readonly string[]): void {
  assertTrueRows(session, ids);
  appendOnly(rig);
}

/** The same without a look at the requests: of several conversations, or around a compaction, they are no one row. */
export function assertTrueRows(session: LiveSession, ids: readonly string[]): void {
  const rows = session.rows();
  everyCallHasItsResult(rows);
  everyTextIsInOnePlace(session, rows, ids);
  everyTurnEndsOnce(session.events(0));
}

function everyCallHasItsResult(rows: readonly TranscriptRow[]): void {
  rows.forEach((row, index) => {
    const calls = row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []));
    const results = rows.slice(index + 1, index + 1 + calls.length).map((result) => result.callId);
    assert.deepEqual(results, calls, 'each call is followed by its one result, in call order');
  });
}

function everyTextIsInOnePlace(session: LiveSession, rows: readonly TranscriptRow[], ids: readonly string[]): void {
  for (const id of ids) {
    const item = session.item(id);
    assert.ok(item, `the text ${id} is lost`);
    const times = rows.flatMap((row) => row.itemIds ?? []).filter((other) => other === id).length;
    assert.equal(times, item.state.is === 'delivered' ? 1 : 0, `the text ${id} is ${item.state.is}, in ${times} rows`);
  }
}

function everyTurnEndsOnce(events: readonly SessionEvent[]): void {
  const started = events.flatMap((seen) => (seen.type === 'turn.started' ? [seen.turnId] : []));
  const ended = events.flatMap((seen) => (seen.type === 'turn.ended' ? [seen.turnId] : []));
  assert.deepEqual(ended, started, 'each turn ends once');
}

/** Each request is the one before and more: nothing that the model has read is changed under it. */
function appendOnly(rig: Rig): void {
  const requests = rig.server.requests.map(messagesOf);
  requests.forEach((messages, index) => {
    const earlier = requests[index - 1] ?? [];
    assert.deepEqual(messages.slice(0, earlier.length), earlier, `request ${index} changes what was sent before`);
  });
}
