/** When a server that can compact the conversation by itself is asked to. */

import type { Quirks } from '../../catalogue/index.ts';

export interface NativeCompaction {
  /** As the settings have it: files hold words such as `"off"` where a boolean is meant. */
  readonly enabled: boolean | string;
  /** Tokens; 200,000 by default. */
  readonly threshold?: number;
}

const DEFAULT_THRESHOLD = 200_000;
/** Tokens by which the server goes before our own compaction. */
const AHEAD = 8_192;
const LEAST = 1_024;

/**
 * Tokens at which the server compacts; undefined when it is not asked to.
 *
 * @param compactAt tokens at which we compact ourselves
 */
export function compactThreshold(
  setting: NativeCompaction | undefined,
  { nativeCompaction }: Quirks,
  compactAt: number | undefined,
): number | undefined {
  if (!nativeCompaction || setting === undefined || !isOn(setting.enabled)) return undefined;
  const wanted = setting.threshold ?? DEFAULT_THRESHOLD;
  return Math.max(LEAST, Math.floor(Math.min(wanted, (compactAt ?? Number.POSITIVE_INFINITY) - AHEAD)));
}

function isOn(value: boolean | string): boolean {
  return typeof value === 'boolean' ? value : /^\s*(true|on|yes|1)\s*$/i.test(value);
}
