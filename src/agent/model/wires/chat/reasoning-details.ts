/** OpenRouter's own form of reasoning: blocks of several kinds that come in fragments and want to come back whole. */

import * as z from 'zod';

const Detail = z.looseObject({
  type: z.string(),
  index: z.number().optional().catch(undefined),
  text: z.string().nullish(),
  summary: z.string().nullish(),
  data: z.string().nullish(),
});

export const ReasoningDetails = z
  .array(Detail.optional().catch(undefined))
  .nullish()
  .catch(undefined)
  .transform((details) => details?.filter((detail) => detail !== undefined));

type Detail = z.infer<typeof Detail>;

/** What grows from fragment to fragment; the newest value of every other field counts. */
const GROWING = ['text', 'summary', 'data'] as const;

export class DetailBlocks {
  readonly #blocks: Detail[] = [];

  push(details: readonly Detail[]): void {
    for (const detail of details) {
      const block = this.#blocks.at(-1);
      if (block === undefined || !continues(block, detail)) {
        this.#blocks.push(detail);
        continue;
      }
      const grown = GROWING.flatMap((field) => {
        const value = (block[field] ?? '') + (detail[field] ?? '');
        return value === '' ? [] : [[field, value]];
      });
      const said = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
      this.#blocks[this.#blocks.length - 1] = { ...block, ...Object.fromEntries(said), ...Object.fromEntries(grown) };
    }
  }

  get blocks(): readonly Detail[] {
    return this.#blocks;
  }
}

/** Sealed blocks come whole; of others a fragment goes on with the newest block of its kind and number. */
function continues(block: Detail, detail: Detail): boolean {
  return block.type === detail.type && block.index === detail.index && detail.type !== 'reasoning.encrypted';
}

/** What of a fragment people can read. */
export function readable(details: readonly Detail[]): string {
  return details.map(({ text, summary }) => text ?? summary ?? '').join('');
}
