import * as z from 'zod';

/** Of every handler. `failClosed` is ours: a guard that cannot speak blocks. */
const shared = {
  if: z.string().optional(),
  /** Seconds; what is no number of them is told, and the hook runs with the usual limit. */
  timeout: z.unknown().optional(),
  statusMessage: z.string().optional(),
  once: z.boolean().optional(),
  failClosed: z.boolean().default(false),
};

export const handlerSchemas = {
  command: z.object({
    type: z.literal('command'),
    command: z.string().trim().min(1),
    args: z.array(z.string()).optional(),
    shell: z.enum(['bash', 'powershell']).optional(),
    async: z.boolean().default(false),
    asyncRewake: z.boolean().default(false),
    ...shared,
  }),
  http: z.object({
    type: z.literal('http'),
    url: z.url(),
    headers: z.record(z.string(), z.string()).default({}),
    allowedEnvVars: z.array(z.string()).default([]),
    ...shared,
  }),
  mcp_tool: z.object({
    type: z.literal('mcp_tool'),
    server: z.string().min(1),
    tool: z.string().min(1),
    input: z.unknown().optional(),
    ...shared,
  }),
  prompt: z.object({
    type: z.literal('prompt'),
    prompt: z.string().min(1),
    model: z.string().optional(),
    continueOnBlock: z.boolean().default(false),
    ...shared,
  }),
  agent: z.object({ type: z.literal('agent'), prompt: z.string().min(1), model: z.string().optional(), ...shared }),
};

export type HandlerType = keyof typeof handlerSchemas;
export type Handler = { [T in HandlerType]: z.infer<(typeof handlerSchemas)[T]> }[HandlerType];

export function isHandlerType(type: unknown): type is HandlerType {
  return typeof type === 'string' && Object.hasOwn(handlerSchemas, type);
}
