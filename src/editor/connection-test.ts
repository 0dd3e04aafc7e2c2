import * as vscode from 'vscode';
import type { ModelError } from '../agent/model/types.ts';
import type { Models } from './models.ts';

export interface ConnectionReport {
  readonly ok: boolean;
  /** For people. */
  readonly message: string;
  /** Milliseconds until the first word. */
  readonly firstMs?: number;
  /** The command that mends it. */
  readonly action?: string;
}

/** Milliseconds after which a model that has said nothing counts as unreachable. */
const patience = 30_000;

/** Makes one real, short request to a model and says what came of it. Never rejects. */
export async function testConnection(models: Models, ref: string | undefined): Promise<ConnectionReport> {
  const resolved = await models.resolve(ref);
  if ('error' in resolved) return failure(resolved.error);
  const started = Date.now();
  const request = {
    model: resolved.model,
    system: 'This tests the connection.',
    messages: [{ role: 'user', text: 'Answer with the one word: ready' }] as const,
    tools: [],
    maxOutput: 64,
    cacheKey: 'connection-test',
  };
  let firstMs: number | undefined;
  for await (const part of resolved.wire.stream(request, AbortSignal.timeout(patience))) {
    if (part.type === 'text' || part.type === 'reasoning') firstMs ??= Date.now() - started;
    if (part.type === 'error') return failure(part.error);
    if (part.type === 'aborted') break;
    if (part.type !== 'end') continue;
    const ms = firstMs ?? Date.now() - started;
    return { ok: true, firstMs: ms, message: vscode.l10n.t('{0} answered after {1} ms.', resolved.ref, ms) };
  }
  return {
    ok: false,
    message: vscode.l10n.t(
      '{0} did not answer within {1} seconds. Check its address and whether it runs.',
      resolved.ref,
      patience / 1000,
    ),
    action: 'midcourse.openSettings',
  };
}

function failure({ message, action }: ModelError): ConnectionReport {
  return { ok: false, message, ...(action === undefined ? {} : { action }) };
}
