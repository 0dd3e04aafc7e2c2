/**
 * How large an image a model takes. What is sent larger is shrunk by the provider or refused, and costs more either way.
 *
 * As the vendors' guides to vision gave it in November 2026. Bytes are those of the file: base64, in which they travel
 * and in which Anthropic counts its 5 MB, makes a third more of them.
 */

import { longestKey } from './names.ts';

export interface ImageLimits {
  /** Pixels of the longer side: what the model really looks at. */
  readonly longestEdge: number;
  readonly bytes: number;
}

const MB = 1_000_000;

/** Claude refuses above 8,000 pixels and 5 MB, and shrinks to 1,568 itself. */
const CLAUDE: ImageLimits = { longestEdge: 1568, bytes: 3.7 * MB };
/** OpenAI shrinks into a square of 2,048. */
const OPENAI: ImageLimits = { longestEdge: 2048, bytes: 7 * MB };
/** Gemini cuts into tiles of 768: four of them a side. A request holds 20 MB in all. */
const GEMINI: ImageLimits = { longestEdge: 3072, bytes: 5 * MB };
/** Of others, which mostly run the open models: what all of those take. */
const OTHER: ImageLimits = { longestEdge: 1536, bytes: 3 * MB };

const BY_FAMILY = {
  claude: CLAUDE,
  gpt: OPENAI,
  chatgpt: OPENAI,
  o1: OPENAI,
  o3: OPENAI,
  o4: OPENAI,
  codex: OPENAI,
  gemini: GEMINI,
} as const;

/** @param model its name at whatever provider */
export function imageLimits(model: string): ImageLimits {
  const family = longestKey(Object.keys(BY_FAMILY) as (keyof typeof BY_FAMILY)[], model);
  return family === undefined ? OTHER : BY_FAMILY[family];
}

/** What an image counts where nobody has counted: it costs by its area and never by its base64. */
export const IMAGE_TOKENS = 1500;
