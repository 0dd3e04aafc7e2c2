import * as vscode from 'vscode';
import type { LiveSession, Transcript } from '../agent/turn/index.ts';
import type { ToolCard, TranscriptRow, TurnResult, Usage } from '../api.ts';
import type { CallCard, Meter, ModelInUse, Snapshot, Stretch, ViewSettings } from '../protocol/index.ts';
import type { Core } from './core.ts';
import type { UsedModel } from './models.ts';
import { welcome } from './welcome.ts';

/** Rows of a first look at a session; older ones are asked for. */
const newestRows = 200;
/** Characters of an edited file above which a row goes to the page without it; the diff editor gets it from here. */
const largeDiff = 20_000;

/** All that a page needs to show a session as it is now; of one moment, so that no event is missed or told twice. */
export function snapshot(session: LiveSession, core: Core, model: UsedModel): Snapshot {
  const { folders, toolsOff } = core.workspace.facts();
  return {
    type: 'snapshot',
    seq: session.seq,
    session: {
      id: session.id,
      title: session.title,
      ...(session.readOnly === undefined ? {} : { readOnly: session.readOnly }),
      ...(session.canTakeOver ? { canTakeOver: true } : {}),
    },
    ...stretchOf(session, { limit: newestRows }),
    items: session.items(),
    approvals: session.approvals(),
    questions: session.questions(),
    state: stateOf(session),
    live: session.view() ?? null,
    meter: meterOf(session, model),
    model: modelForPage(model),
    processes: session.processes(),
    children: session.childAgents(),
    settings: viewSettings(core),
    workspace: { folders, trusted: vscode.workspace.isTrusted, ...(toolsOff === undefined ? {} : { toolsOff }) },
    welcome: welcome(core, model),
    ...draftOf(session, core),
  };
}

function draftOf(session: LiveSession, core: Core): Pick<Snapshot, 'draft' | 'draftImages'> {
  const { text, images } = core.memory.draft(session.id);
  return { draft: text, ...(images.length === 0 ? {} : { draftImages: images }) };
}

/** @param range.before excludes rows from that sequence number on */
export function stretchOf(session: Transcript, range: { readonly before?: number; readonly limit: number }): Stretch {
  const rows = session.rows({ ...range, limit: range.limit + 1 });
  const shown = rows.length > range.limit ? rows.slice(1) : rows;
  const turns = [...new Set(shown.map((row) => row.turnId))];
  return {
    rows: shown.map(forPage),
    hasOlder: rows.length > range.limit,
    turnResults: turns.flatMap((turnId) => session.turnResult(turnId) ?? []).map(resultForPage),
    calls: shown.flatMap((row) => cardOf(row) ?? []),
  };
}

/** The newest rows of a delegated agent. @throws when the session has no such agent */
export function childStretch(session: LiveSession, childId: string, limit: number): Stretch {
  const transcript = session.childTranscript(childId);
  if (!transcript) throw new Error(vscode.l10n.t('This agent is no longer known.'));
  return stretchOf(transcript, { limit });
}

/** The card of a tool result's row. */
export function cardOf(row: TranscriptRow): CallCard | undefined {
  if (row.callId === undefined || row.card === undefined) return undefined;
  const { label, subject, detail, durationMs, diff, blockedBy, changedBy } = row.card;
  return {
    callId: row.callId,
    label,
    ...(subject === undefined ? {} : { subject }),
    durationMs,
    ...(detail === undefined ? {} : { detail }),
    ...(diff === undefined ? {} : { diff: true }),
    ...(blockedBy === undefined ? {} : { blockedBy }),
    ...(changedBy === undefined ? {} : { changedBy }),
  };
}

/** A row as the page gets it: its text once (as output of a tool, as `displayText` otherwise), no text of large files. */
export function forPage(row: TranscriptRow): TranscriptRow {
  if (row.role !== 'tool') {
    return row.displayText === null ? row : { ...row, parts: row.parts.filter((part) => part.type !== 'text') };
  }
  const { card, ...rest } = { ...row, displayText: '' };
  return card ? { ...rest, card: withoutLargeDiff(card) } : rest;
}

/** A turn's result as the page gets it: its text is in the rows. */
export function resultForPage(result: TurnResult): TurnResult {
  return { ...result, finalText: '' };
}

function withoutLargeDiff({ diff, ...card }: ToolCard): ToolCard {
  return diff && diff.before.length + diff.after.length <= largeDiff ? { ...card, diff } : card;
}

/** What a page gets of a model; its window goes with the meter. */
export function modelForPage({ contextWindow: _window, ...model }: UsedModel): ModelInUse {
  return model;
}

/** @param model the one in use */
export function meterOf(session: LiveSession, { ref, contextWindow }: UsedModel): Meter {
  const { usage, contextFills: fills, spending } = session;
  const { byModel: models, agents, reviews, budgets } = spending;
  const limits = session.rateLimits(ref);
  return {
    contextUsed: session.contextTokens,
    contextWindow,
    usage,
    ...(usage.costUsd === undefined ? {} : { costUsd: usage.costUsd }),
    ...(fills.length === 0 ? {} : { fills }),
    ...(models.length === 0 ? {} : { models }),
    ...(isUsed(agents) ? { agents } : {}),
    ...(isUsed(reviews) ? { reviews } : {}),
    ...(budgets.length === 0 ? {} : { budgets: budgets.map(({ of, limit, spent }) => ({ of, limit, spent })) }),
    ...(limits === undefined ? {} : { limits }),
  };
}

function isUsed({ input, output, cacheRead, cacheWrite }: Usage): boolean {
  return input + output + cacheRead + cacheWrite > 0;
}

export function viewSettings(core: Core): ViewSettings {
  const editor = vscode.workspace.getConfiguration('editor');
  const font = core.settings.chatFont();
  return {
    busyInput: core.settings.get('busyInput'),
    offersContinue: core.settings.get('resume') !== 'off',
    fontSize: font.size,
    fontFamily: font.family,
    editorFontSize: number(editor.get('fontSize'), 14),
    editorFontFamily: String(editor.get('fontFamily') ?? ''),
    platform: process.platform === 'darwin' ? 'mac' : process.platform === 'win32' ? 'windows' : 'linux',
  };
}

function stateOf(session: LiveSession): Snapshot['state'] {
  const last = session.lastState;
  if (!last) return { state: session.state };
  return {
    state: last.state,
    since: last.at,
    ...(last.phase === undefined ? {} : { phase: last.phase }),
    ...(last.label === undefined ? {} : { label: last.label }),
    ...(last.until === undefined ? {} : { until: last.until }),
  };
}

function number(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
