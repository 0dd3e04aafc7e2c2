/** How the events of an answer are read before a wire looks at them. What does not fit counts as a stream that broke off. */

import * as z from 'zod';
import { ModelFailure } from '../failures/failure.ts';
import type { ServerEvent } from './exchange/sse.ts';

/** Characters of an error that is no JSON. */
const LONGEST_ERROR = 4_096;
/** Characters of a broken event that are told. */
const LONGEST_QUOTE = 200;

/** Nothing proves that the answer is whole. */
export function cut(why: string): ModelFailure {
  return new ModelFailure({ at: 'cut', why });
}

/** The JSON of an event. Throws a `ModelFailure` for what is none; an event that is named `error` is the server's own. */
export function jsonOf({ event, data }: ServerEvent): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw event === 'error'
      ? new ModelFailure({ at: 'frame', body: data.slice(0, LONGEST_ERROR) })
      : cut(`A frame is no JSON: ${data.slice(0, LONGEST_QUOTE)}`);
  }
}

/** The arguments of a call as text. Some servers send the value that they mean; one that is no object is no input. */
export const Arguments = z
  .union([z.string(), z.unknown().transform((input) => JSON.stringify(input))])
  .nullish()
  .catch(undefined);

/** What the schema makes of an event. Throws a `ModelFailure` for what does not fit. */
export function fitting<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw cut(`A frame does not fit: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
