/**
 * What the fake model server answers: plain JSON, so that a test in another process can send it over `/_control`.
 *
 * An answer is either a whole HTTP answer (`status`, `headers`, `body`) or a stream of `steps`. A stream closes itself
 * properly (finish, usage, closing frame) after its last step, unless a step ended it in another way.
 */

import * as z from 'zod';

const Usage = z.object({
  /** Tokens, without those of the cache. */
  input: z.number().optional(),
  output: z.number().optional(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
  reasoning: z.number().optional(),
});

const Call = z.object({
  id: z.string().optional(),
  name: z.string(),
  /** Sent as JSON, unless `arguments` gives the bytes. */
  input: z.unknown().optional(),
  arguments: z.string().optional(),
  /** Characters in each fragment of the arguments; one fragment by default. */
  split: z.number().int().positive().optional(),
});

export const Finish = z.enum(['stop', 'tool_calls', 'length', 'content_filter']);

export const Step = z.union([
  /** One text delta. */
  z.strictObject({ text: z.string() }),
  /** Many text deltas as fast as the socket takes them: `text` repeated `times` times, in writes of `perWrite` frames. */
  z.strictObject({
    burst: z.object({
      text: z.string().default('token '),
      times: z.number().int().positive(),
      perWrite: z.number().int().positive().default(20),
    }),
  }),
  /** One delta of thinking; on the Anthropic wire its block is signed when it closes. */
  z.strictObject({ reasoning: z.string() }),
  z.strictObject({ call: Call }),
  /** Waits until it is released: by its name, or as the pause at which the request stands. */
  z.strictObject({ pause: z.union([z.string(), z.literal(true)]) }),
  /** Milliseconds. */
  z.strictObject({ delay: z.number().nonnegative() }),
  z.strictObject({ usage: Usage }),
  /** Finish reason and closing frames now. */
  z.strictObject({ finish: Finish }),
  /** An error frame inside the 200 stream; the stream ends behind it. */
  z.strictObject({ error: z.object({ type: z.string(), message: z.string(), code: z.string().optional() }) }),
  /** These bytes, whatever they are. */
  z.strictObject({ raw: z.string() }),
  /** Destroys the socket. */
  z.strictObject({ cut: z.literal(true) }),
  /** Ends the body properly, without any closing frame of the wire. */
  z.strictObject({ eof: z.literal(true) }),
]);

const StreamAnswer = z.strictObject({
  steps: z.array(Step),
  headers: z.record(z.string(), z.string()).optional(),
  /** The head of the answer waits for a release too. */
  holdHead: z.boolean().optional(),
});

const WholeAnswer = z.strictObject({
  status: z.number().int(),
  headers: z.record(z.string(), z.string()).optional(),
  /** A string is sent as it is, anything else as JSON. */
  body: z.unknown().optional(),
  holdHead: z.boolean().optional(),
});

export const Answer = z.union([StreamAnswer, WholeAnswer]);

export type Step = z.input<typeof Step>;
export type Answer = z.input<typeof Answer>;
export type StreamAnswer = z.input<typeof StreamAnswer>;
export type WholeAnswer = z.input<typeof WholeAnswer>;
export type Finish = z.infer<typeof Finish>;
export type ScriptUsage = z.infer<typeof Usage>;
export type ScriptCall = z.infer<typeof Call>;
