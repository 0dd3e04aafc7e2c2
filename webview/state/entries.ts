/** From rows (and what is being written right now) to what stands in the transcript, one entry a line or card. */

import type {
  Interruption,
  PlanStep,
  ResultStatus,
  ToolCallState,
  ToolCard,
  TranscriptRow,
  TurnResult,
} from '../../src/api.ts';
import type { CallCard, LiveState } from '../../src/protocol/index.ts';
import { callWords } from '../../src/words/call-words.ts';
import { t } from '../l10n.ts';
import { callSubject, isLooking } from './call-label.ts';
import type { Section } from './chat-state.ts';
import { type MarkKind, markOf } from './marks.ts';

export interface UserEntry {
  readonly is: 'user';
  readonly key: string;
  readonly rowId: string;
  readonly kind: 'message' | 'steer' | 'redirect';
  readonly text: string;
  readonly images: readonly MessageImage[];
  readonly request?: number;
  /** False until the request that carries it was answered. */
  readonly read: boolean;
}

/** By its reference in the host's store. */
export interface MessageImage {
  readonly ref: string;
  readonly name: string;
}

export interface TextEntry {
  readonly is: 'text';
  readonly key: string;
  readonly text: string;
  readonly streaming: boolean;
  readonly interrupted?: Interruption;
}

export interface ReasoningEntry {
  readonly is: 'reasoning';
  readonly key: string;
  readonly text: string;
  readonly streaming: boolean;
  readonly durationMs?: number;
}

export interface ToolEntry {
  readonly is: 'tool';
  readonly key: string;
  readonly callId: string;
  readonly name: string;
  /** What it does or did, as far as it got. */
  readonly label: string;
  /** The path of the file that it is about, where it is about one. */
  readonly path?: string;
  /** The plan that it writes. */
  readonly steps?: readonly PlanStep[];
  readonly detail?: string;
  readonly state: ToolCallState;
  readonly input: unknown;
  readonly output: string;
  /** Milliseconds since the epoch, while it runs. */
  readonly startedAt?: number;
  readonly durationMs?: number;
  /** Left out where the files are large; `hasDiff` says whether the host can show it. */
  readonly diff?: NonNullable<ToolCard['diff']>;
  readonly hasDiff: boolean;
  /** The delegated agent that the call started, where its result names it. */
  readonly childId?: string;
  /** The hook that refused it, and why. */
  readonly blockedBy?: NonNullable<ToolCard['blockedBy']>;
  /** The hook that changed its arguments. */
  readonly changedBy?: string;
}

export interface GroupEntry {
  readonly is: 'group';
  readonly key: string;
  readonly tools: readonly ToolEntry[];
}

interface NoticeEntry {
  readonly is: 'notice';
  readonly key: string;
  readonly text: string;
  readonly mark?: MarkKind;
}

/** A hook had the agent go on instead of ending. */
interface HookEntry {
  readonly is: 'hook';
  readonly key: string;
  readonly hook: string;
  readonly text: string;
}

/** What stands for the rows that the model is no longer sent. */
interface SummaryEntry {
  readonly is: 'summary';
  readonly key: string;
  readonly text: string;
}

interface TurnEndEntry {
  readonly is: 'end';
  readonly key: string;
  readonly result: TurnResult;
}

export type Entry =
  | UserEntry
  | TextEntry
  | ReasoningEntry
  | ToolEntry
  | GroupEntry
  | NoticeEntry
  | HookEntry
  | SummaryEntry
  | TurnEndEntry;

/** What entries are made of beside the section's own rows. */
export interface EntrySources {
  /** Null for every section but the one that grows. */
  readonly live: LiveState | null;
  readonly reads: ReadonlyMap<string, boolean>;
  readonly calls: ReadonlyMap<string, CallCard>;
  /** Set for the last section of a turn that has ended. */
  readonly result: TurnResult | undefined;
}

export function entriesOf(section: Section, sources: EntrySources): readonly Entry[] {
  const results = new Map(section.rows.flatMap((row) => (row.callId ? [[row.callId, row] as const] : [])));
  const count = new Map<string, number>();
  /** The n-th text of a request keeps its key from the first letter on. */
  const nth = (what: string, request: number | undefined) => {
    const name = `${section.turnId}/${request ?? 0}/${what}`;
    const number = count.get(name) ?? 0;
    count.set(name, number + 1);
    return `${name}/${number}`;
  };
  const entries: Entry[] = [];
  let goesOn = false;
  const add = (more: readonly Entry[]) => {
    entries.push(...(goesOn ? joined(entries, more) : more));
  };
  for (const row of section.rows) {
    switch (row.role) {
      case 'user':
        if (row.displayText !== null || row.kind !== 'notice') entries.push(userEntry(row, sources.reads));
        break;
      case 'assistant':
        if (row.kind === 'closing') break;
        add(answerEntries(row, results, sources, nth));
        goesOn = row.continued !== undefined;
        break;
      case 'tool':
        break;
      case 'notice':
        entries.push(...noticeEntries(row));
        break;
      default:
        row.role satisfies never;
    }
  }
  add(liveEntries(section, sources.live, nth));
  if (sources.result) {
    const finalText = sources.result.finalText || lastText(section.rows);
    entries.push({ is: 'end', key: `${section.turnId}/end`, result: { ...sources.result, finalText } });
  }
  return foldLooks(entries);
}

/**
 * An answer that was cut and went on reads as one: the next piece joins the text before it, and what was thought
 * between them stands before the whole.
 *
 * @param entries those before, whose last text is replaced
 * @returns what of `more` still follows
 */
function joined(entries: Entry[], more: readonly Entry[]): readonly Entry[] {
  const at = entries.findLastIndex((entry) => entry.is === 'text');
  const before = entries[at];
  const next = more.find((entry) => entry.is === 'text');
  if (before?.is !== 'text' || entries.slice(at + 1).some(({ is }) => is !== 'notice')) return more;
  const thought = more.filter((entry) => entry.is === 'reasoning');
  if (next) {
    const { interrupted: _cut, ...head } = before;
    const { streaming, interrupted } = next;
    entries[at] = { ...head, text: oneText(before.text, next.text), streaming, ...(interrupted && { interrupted }) };
  }
  entries.splice(at, 0, ...thought);
  return more.filter((entry) => entry !== next && entry.is !== 'reasoning');
}

/**
 * Whether a word was cut at the seam is not known: a line break, which reads as a space, keeps two words apart. The host
 * joins them by the same rule (`turn/stitch.ts`), so that what is read here is what the turn's result says.
 */
function oneText(left: string, right: string): string {
  const touches = /\S$/.test(left) && /^[^\s,.;:!?)\]}…]/.test(right);
  return touches ? `${left}\n${right}` : left + right;
}

function noticeEntries(row: TranscriptRow): readonly Entry[] {
  if (row.kind === 'summary') {
    return [{ is: 'summary', key: row.id, text: row.providerText ?? row.displayText ?? textOf(row) }];
  }
  if (row.hook !== undefined) return [{ is: 'hook', key: row.id, hook: row.hook, text: textOf(row) }];
  const mark = markOf(row);
  return row.displayText ? [{ is: 'notice', key: row.id, text: row.displayText, ...(mark && { mark }) }] : [];
}

function userEntry(row: TranscriptRow, reads: ReadonlyMap<string, boolean>): UserEntry {
  const kind = row.kind === 'steer' || row.kind === 'redirect' ? row.kind : 'message';
  return {
    is: 'user',
    key: row.id,
    rowId: row.id,
    kind,
    text: row.displayText ?? textOf(row),
    images: row.parts.flatMap((part) => (part.type === 'image' ? [{ ref: part.ref, name: part.name ?? '' }] : [])),
    ...(row.request !== undefined && { request: row.request }),
    read: (row.itemIds ?? []).every((id) => reads.get(id) !== false),
  };
}

function answerEntries(
  row: TranscriptRow,
  results: ReadonlyMap<string, TranscriptRow>,
  sources: EntrySources,
  nth: (what: string, request: number | undefined) => string,
): readonly Entry[] {
  const entries: Entry[] = [];
  const thinking = row.parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join('\n\n');
  const key = nth('reasoning', row.request);
  if (thinking.trim()) entries.push({ is: 'reasoning', key, text: thinking, streaming: false });
  const text = row.displayText ?? textOf(row);
  const textKey = nth('text', row.request);
  if (text.trim()) {
    entries.push({
      is: 'text',
      key: textKey,
      text,
      streaming: false,
      ...(row.interrupted && { interrupted: row.interrupted }),
    });
  }
  for (const part of row.parts) {
    if (part.type === 'tool_call') entries.push(toolEntry(part, results.get(part.callId), sources));
  }
  return entries;
}

function toolEntry(
  call: { readonly callId: string; readonly name: string; readonly input: unknown },
  result: TranscriptRow | undefined,
  { live, calls }: EntrySources,
): ToolEntry {
  const running = live?.tools.find((tool) => tool.callId === call.callId);
  const card = result?.card ?? calls.get(call.callId);
  const durationMs = card?.durationMs;
  const state = result?.status ?? (running ? toolState(running.state) : live ? 'waiting' : 'not_run');
  const told = card?.subject ?? running?.subject;
  const subject = told ?? callSubject(call.name, call.input);
  // What 0.4 stored says that it was done: that counts only where it was.
  const label = told === undefined && state === 'success' ? card?.label : undefined;
  const diff = result?.card?.diff;
  return {
    is: 'tool',
    key: `tool/${call.callId}`,
    callId: call.callId,
    name: call.name,
    label: label || callWords(subject, state, t),
    ...(subject.path !== undefined && { path: subject.path }),
    ...(subject.steps && { steps: subject.steps }),
    ...(card?.detail && { detail: card.detail }),
    state,
    input: call.input,
    output: result ? textOf(result) : (running?.output ?? ''),
    ...(!result && running?.state === 'running' && { startedAt: running.startedAt }),
    ...(durationMs !== undefined && durationMs > 0 && { durationMs }),
    ...(diff && { diff }),
    hasDiff: diff !== undefined || calls.get(call.callId)?.diff === true,
    ...(result?.card?.childId !== undefined && { childId: result.card.childId }),
    ...(card?.blockedBy && { blockedBy: card.blockedBy }),
    ...(card?.changedBy && { changedBy: card.changedBy }),
  };
}

function liveEntries(
  section: Section,
  live: LiveState | null,
  nth: (what: string, request: number | undefined) => string,
): readonly Entry[] {
  if (!live || live.turnId !== section.turnId) return [];
  const entries: Entry[] = [];
  const reasoningKey = nth('reasoning', live.request);
  if (live.reasoning.trim()) {
    entries.push({ is: 'reasoning', key: reasoningKey, text: live.reasoning, streaming: live.text === '' });
  }
  const textKey = nth('text', live.request);
  if (live.text !== '') entries.push({ is: 'text', key: textKey, text: live.text, streaming: true });
  const stored = new Set(
    section.rows.flatMap((row) => row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))),
  );
  for (const tool of live.tools) {
    if (stored.has(tool.callId)) continue;
    entries.push({
      is: 'tool',
      key: `tool/${tool.callId}`,
      callId: tool.callId,
      name: tool.name,
      label: callWords(tool.subject ?? callSubject(tool.name, undefined), toolState(tool.state), t),
      state: toolState(tool.state),
      input: undefined,
      output: tool.output,
      ...(tool.state === 'running' && { startedAt: tool.startedAt }),
      hasDiff: false,
    });
  }
  return entries;
}

const toolStates: Readonly<Record<ToolCallState, true>> = {
  ...{ announced: true, waiting: true, approval: true, question: true, running: true, success: true, error: true },
  ...{ blocked: true, denied: true, withdrawn: true, not_run: true, stopped: true, timeout: true, yielded: true },
  abandoned: true,
};

/** A state that this page does not know is shown as running: the result's row says how it ended. */
function toolState(state: string): ToolCallState {
  return Object.hasOwn(toolStates, state) ? (state as ToolCallState) : 'running';
}

const foldable: ReadonlySet<ToolCallState> = new Set<ResultStatus>(['success']);

/** Two or more reads in a row become one line. One that failed or still runs is never hidden. */
function foldLooks(entries: readonly Entry[]): readonly Entry[] {
  const folded: Entry[] = [];
  let run: ToolEntry[] = [];
  const close = () => {
    const [first] = run;
    if (first && run.length > 1) folded.push({ is: 'group', key: `group/${first.callId}`, tools: run });
    else folded.push(...run);
    run = [];
  };
  for (const entry of entries) {
    if (entry.is === 'tool' && isLooking(entry.name) && foldable.has(entry.state)) run.push(entry);
    else {
      close();
      folded.push(entry);
    }
  }
  close();
  return folded;
}

function lastText(rows: readonly TranscriptRow[]): string {
  const said = rows.filter((row) => row.role === 'assistant' && row.displayText);
  const before = said.findLastIndex((row, index) => index < said.length - 1 && row.continued === undefined);
  return said.slice(before + 1).reduce((text, row) => oneText(text, row.displayText ?? ''), '');
}

function textOf(row: TranscriptRow): string {
  return row.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(row.role === 'user' ? '\n\n' : '');
}
