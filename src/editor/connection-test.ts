import * as vscode from 'vscode';
import { hostName, SMALL_WINDOW, type WindowSource } from '../agent/model/catalogue/index.ts';
import type { AttemptFacts, ModelError, ModelPart, ModelRequest } from '../agent/model/types.ts';
import type { Usage } from '../api.ts';
import type { Models } from './models.ts';

export interface ConnectionReport {
  readonly ok: boolean;
  /** For people. */
  readonly message: string;
  /** `provider/model`. */
  readonly ref?: string;
  readonly api?: string;
  readonly baseUrl?: string;
  /** Milliseconds until the first word. */
  readonly firstMs?: number;
  /** False when the answer came in one piece at the end. */
  readonly streams?: boolean;
  /** Whether the model called the tool that it was asked to call. */
  readonly callsTools?: boolean;
  readonly usage?: Usage;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly windowFrom?: WindowSource;
  /** The command that mends it. */
  readonly action?: string;
}

/** Milliseconds after which a model that has said nothing counts as unreachable. */
const patience = 60_000;

const PROBE = {
  name: 'report_ready',
  description: 'Reports that the connection works.',
  inputSchema: { type: 'object', properties: { ready: { type: 'boolean' } }, required: ['ready'] },
};

/** Makes one real, short request with a tool to a model and says what came of it. Never rejects. */
export async function testConnection(models: Models, ref: string | undefined): Promise<ConnectionReport> {
  const resolved = await models.resolve(ref);
  if ('error' in resolved) return failure(resolved.error, {});
  const described = await models.described(resolved.ref);
  const route = described?.route;
  const facts: Partial<ConnectionReport> = {
    ref: resolved.ref,
    contextWindow: resolved.contextWindow,
    ...(described && { windowFrom: described.known.windowFrom }),
    ...(route && { api: route.api }),
    ...(route?.baseUrl !== undefined && { baseUrl: route.baseUrl }),
  };
  const request: ModelRequest = {
    model: resolved.model,
    system: 'This tests the connection.',
    messages: [{ role: 'user', text: 'Write the word "ready", then call the tool report_ready with {"ready": true}.' }],
    tools: [PROBE],
    // Room for a model that thinks first.
    maxOutput: 2048,
    cacheKey: 'connection-test',
    once: true,
  };
  const answer = await read(resolved.wire.stream(request, AbortSignal.timeout(patience)), Date.now());
  if (answer.end === undefined) return silent(resolved.ref, facts);
  if (answer.end.type === 'error') return failure(answer.end.error, facts);
  const { end, firstMs, pieces } = answer;
  const report = {
    ...facts,
    firstMs,
    streams: pieces > 1,
    callsTools: end.calls.length > 0,
    ...(end.usage && { usage: end.usage }),
  };
  return { ok: true, ...report, message: words(report, end.facts) };
}

interface Answer {
  /** Undefined when nothing came in time. */
  readonly end: Extract<ModelPart, { type: 'end' | 'error' }> | undefined;
  readonly firstMs: number;
  readonly pieces: number;
}

async function read(parts: AsyncIterable<ModelPart>, started: number): Promise<Answer> {
  let firstMs: number | undefined;
  let pieces = 0;
  for await (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning' || part.type === 'call_progress') {
      firstMs ??= Date.now() - started;
      pieces += 1;
    }
    if (part.type === 'end' || part.type === 'error') {
      return { end: part, firstMs: firstMs ?? Date.now() - started, pieces };
    }
  }
  return { end: undefined, firstMs: Date.now() - started, pieces };
}

/** One sentence for each thing that was found out. */
function words(report: Partial<ConnectionReport>, facts: AttemptFacts | undefined): string {
  const {
    ref = '',
    firstMs = 0,
    api = '',
    baseUrl,
    streams,
    callsTools,
    usage,
    contextWindow = 0,
    windowFrom,
  } = report;
  const host = baseUrl === undefined ? undefined : hostName(baseUrl);
  const left = facts?.rateLimits?.windows[0];
  return [
    vscode.l10n.t('{0} answered after {1} ms.', ref, firstMs),
    host === undefined ? vscode.l10n.t('API: {0}.', api) : vscode.l10n.t('API: {0} at {1}.', api, host),
    ...(streams
      ? []
      : [vscode.l10n.t('The answer came in one piece: a stop takes effect, but you see nothing of it before.')]),
    callsTools
      ? vscode.l10n.t('It calls tools.')
      : vscode.l10n.t('It did not call the tool that it was asked to call: it may be too small for work with tools.'),
    usage
      ? vscode.l10n.t('Tokens: {0} read, {1} written.', usage.input + usage.cacheRead + usage.cacheWrite, usage.output)
      : vscode.l10n.t('It does not say how many tokens were used, so costs and the fill of its window are estimates.'),
    windowWords(contextWindow, windowFrom),
    ...(left ? [vscode.l10n.t('Left of its limit: {0} of {1} {2}.', left.remaining, left.limit, left.of)] : []),
  ].join(' ');
}

function windowWords(tokens: number, from: WindowSource | undefined): string {
  if (from === 'unknown') {
    return vscode.l10n.t(
      'Nobody says how much it reads: {0} tokens are assumed; set contextWindow to be sure.',
      tokens,
    );
  }
  const window = vscode.l10n.t('It reads {0} tokens ({1}).', tokens, sourceWords(from ?? 'family'));
  return tokens < SMALL_WINDOW
    ? `${window} ${vscode.l10n.t('That is little: longer work will be compacted often.')}`
    : window;
}

function sourceWords(from: Exclude<WindowSource, 'unknown'>): string {
  switch (from) {
    case 'settings':
      return vscode.l10n.t('from your settings');
    case 'learned':
      return vscode.l10n.t('as the provider once said in a refusal');
    case 'endpoint':
      return vscode.l10n.t('as its server says');
    case 'family':
      return vscode.l10n.t('as is known of the model');
    default:
      return from satisfies never;
  }
}

function silent(ref: string, facts: Partial<ConnectionReport>): ConnectionReport {
  const message = vscode.l10n.t(
    '{0} did not answer within {1} seconds. Check its address and whether it runs.',
    ref,
    patience / 1000,
  );
  return { ...facts, ok: false, message, action: 'midcourse.openSettings' };
}

function failure(
  { message, action }: ModelError,
  { ref, api, baseUrl, ...facts }: Partial<ConnectionReport>,
): ConnectionReport {
  const host = baseUrl === undefined ? undefined : hostName(baseUrl);
  const asked = ref === undefined || api === undefined ? '' : ` ${askedWords(ref, api, host)}`;
  return {
    ok: false,
    message: `${message}${asked}`,
    ...facts,
    ...(ref !== undefined && { ref }),
    ...(api !== undefined && { api }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(action !== undefined && { action }),
  };
}

function askedWords(ref: string, api: string, host: string | undefined): string {
  return host === undefined
    ? vscode.l10n.t('({0} was asked by {1}.)', ref, api)
    : vscode.l10n.t('({0} was asked by {1} at {2}.)', ref, api, host);
}
