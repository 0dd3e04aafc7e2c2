/** How long a wire waits, and when it gives a model up. */

import { type LimitSettings, type StreamLimits, streamLimits } from '../../catalogue/stream-limits.ts';
import type { ModelRequest } from '../../types.ts';
import { estimateTokens } from './request-size.ts';

/** Silent streams in a row. */
const GIVE_UP_AFTER = 5;

/** What an exchange needs to know of it. */
export interface Waiting {
  readonly limits: StreamLimits;
  readonly streak: StaleStreak;
}

/** One for each wire, as it remembers how its models have answered. */
export class Patience {
  readonly #baseUrl: string;
  readonly #settings: LimitSettings;
  readonly #streak: StaleStreak;
  #model: string | undefined;

  constructor(baseUrl: string, settings: LimitSettings = {}) {
    this.#baseUrl = baseUrl;
    this.#settings = settings;
    this.#streak = new StaleStreak(settings.giveUpAfter ?? GIVE_UP_AFTER);
  }

  of(request: ModelRequest): Waiting {
    const { model, effort } = request;
    // Another model is another story, also when the first one is asked again.
    if (model !== this.#model) this.#streak.alive();
    this.#model = model;
    const tokens = estimateTokens(request);
    const limits = streamLimits({ baseUrl: this.#baseUrl, model, effort, tokens, settings: this.#settings });
    return { limits, streak: this.#streak };
  }
}

/** Streams in a row that fell silent before they showed anything. */
export class StaleStreak {
  readonly #giveUpAfter: number;
  #length = 0;

  /** @param giveUpAfter 0 never gives up */
  constructor(giveUpAfter: number) {
    this.#giveUpAfter = giveUpAfter;
  }

  get length(): number {
    return this.#length;
  }

  stale(): void {
    this.#length += 1;
  }

  alive(): void {
    this.#length = 0;
  }

  /** True when no connection is worth its wait any more. Who asks again after that gets one more try. */
  givesUp(): boolean {
    if (this.#giveUpAfter <= 0 || this.#length < this.#giveUpAfter) return false;
    this.#length = this.#giveUpAfter - 1;
    return true;
  }
}
