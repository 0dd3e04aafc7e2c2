/** What a wire learns from a refusal, and then never does again. */

import { parseErrorText, providerError } from '../../failures/provider-error.ts';
import type { ModelRequest } from '../../types.ts';

/** What a server may refuse and a request can do without. */
export type Dispensable =
  /** Sealed reasoning and checkpoints of earlier answers. */
  'seals' | 'native_compaction' | 'include' | 'summary' | 'reasoning' | 'cache_key' | 'streaming';

interface Refusal {
  readonly of: Dispensable;
  /** How far it reaches: a seal is broken for a session, a parameter is unknown to a model. */
  readonly scope: 'session' | 'model';
  readonly says: (text: string) => boolean;
}

const REFUSES =
  /unknown|unsupported|not (be )?supported|unrecognized|unrecognised|unexpected|invalid|not (be )?(allowed|permitted|enabled|available)|extra (field|input)|must be verified/;

/** The order matters: each of the later ones may be named beside an earlier one. */
const REFUSALS: readonly Refusal[] = [
  {
    of: 'seals',
    scope: 'session',
    says: (text) =>
      /invalid_encrypted_content|encrypted[ _]content.{0,120}(not be (verified|decrypted|parsed)|failed to|is invalid)/s.test(
        text,
      ),
  },
  {
    of: 'native_compaction',
    scope: 'session',
    says: (text) => /context_management|compact_threshold/.test(text) && REFUSES.test(text),
  },
  {
    of: 'include',
    scope: 'model',
    says: (text) =>
      /encrypted content is not supported/.test(text) ||
      (/reasoning\.encrypted_content|\binclude\b/.test(text) && REFUSES.test(text)),
  },
  { of: 'summary', scope: 'model', says: (text) => /reasoning[._ ]summar/.test(text) && REFUSES.test(text) },
  {
    of: 'reasoning',
    scope: 'model',
    // A value that it does not take is for the user to change: asking it to think less than they chose would be silent.
    says: (text) => /\breasoning\b/.test(text) && REFUSES.test(text) && !/(unsupported|invalid) value/.test(text),
  },
  { of: 'cache_key', scope: 'model', says: (text) => /prompt_cache_key/.test(text) && REFUSES.test(text) },
  {
    of: 'streaming',
    scope: 'session',
    says: (text) =>
      /stream(ing)?\b.{0,40}(not|un)[ -]?(be )?supported|does not support stream|verified to stream/s.test(text),
  },
];

/** Of one wire, for all its sessions and models. */
export class LearntRefusals {
  readonly #without = new Set<string>();

  /** Whether a request may have it. */
  takes(what: Dispensable, request: ModelRequest): boolean {
    return !this.#without.has(keyOf(what, scopeOf(what), request));
  }

  /**
   * Reads the body of a 400. True when the same request can be asked again without what it refuses: once for each, since
   * what was left out cannot have been refused.
   */
  learn(body: string, request: ModelRequest): boolean {
    // Only the server's own words: a body may repeat the request, and that names everything. The type of each refusal is
    // this one, and says nothing of its cause.
    const { text: said } = providerError(parseErrorText(body));
    const text = said.toLowerCase().replaceAll('invalid_request_error', '');
    const refusal = REFUSALS.find(({ of, says }) => says(text) && this.takes(of, request));
    if (refusal === undefined) return false;
    this.#without.add(keyOf(refusal.of, refusal.scope, request));
    return true;
  }
}

function scopeOf(what: Dispensable): 'session' | 'model' {
  return REFUSALS.find(({ of }) => of === what)?.scope ?? 'session';
}

function keyOf(what: Dispensable, scope: 'session' | 'model', { cacheKey, model }: ModelRequest): string {
  return `${what} ${scope === 'session' ? cacheKey : model}`;
}
