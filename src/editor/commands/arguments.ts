import * as vscode from 'vscode';
import * as z from 'zod';
import { EFFORTS } from '../../agent/model/catalogue/index.ts';

const id = z.string().min(1).max(128);
/** Holds the path of a file. */
const hookId = z.string().min(1).max(8192);

/** What the commands take when a keybinding or another extension runs them. All of it may be left out. */
export const forms = {
  session: form({ sessionId: id.exactOptional() }, 'sessionId'),
  text: form({ text: z.string().exactOptional(), id: id.exactOptional(), sessionId: id.exactOptional() }, 'text'),
  stop: form({ sessionId: id.exactOptional(), reason: z.string().min(1).max(100).exactOptional() }, 'sessionId'),
  item: form(
    {
      itemId: id.exactOptional(),
      sessionId: id.exactOptional(),
      text: z.string().exactOptional(),
      revision: z.int().exactOptional(),
    },
    'itemId',
  ),
  approval: form(
    {
      approvalId: z.string().exactOptional(),
      sessionId: id.exactOptional(),
      choice: z.enum(['once', 'session', 'always']).exactOptional(),
      reason: z.string().exactOptional(),
    },
    'approvalId',
  ),
  call: form({ callId: z.string().exactOptional(), sessionId: id.exactOptional() }, 'callId'),
  newSession: form(
    { title: z.string().exactOptional(), model: z.string().exactOptional(), text: z.string().exactOptional() },
    'title',
  ),
  search: form({ query: z.string().exactOptional(), limit: z.int().min(1).max(1000).exactOptional() }, 'query'),
  rename: form({ title: z.string().exactOptional(), sessionId: id.exactOptional() }, 'title'),
  export: form(
    {
      format: z.enum(['json', 'markdown']).exactOptional(),
      /** Absolute. Without it the user is asked. */
      path: z.string().exactOptional(),
      sessionId: id.exactOptional(),
    },
    'format',
  ),
  delete: form({ sessionId: id.exactOptional(), confirmed: z.boolean().exactOptional() }, 'sessionId'),
  servers: form({ show: z.boolean().exactOptional() }, 'show'),
  /** An MCP server or a language server, by its name. The hash is the one that `manageMcpServers` gives. */
  server: form({ server: z.string().exactOptional(), hash: z.string().exactOptional() }, 'server'),
  model: form({ model: z.string().exactOptional() }, 'model'),
  /** `add` keeps the other keys of the provider; without it they are replaced, and an empty key removes them. */
  key: form(
    { provider: z.string().exactOptional(), key: z.string().exactOptional(), add: z.boolean().exactOptional() },
    'provider',
  ),
  /** An empty secret is forgotten. */
  webhookSecret: form({ name: z.string().exactOptional(), secret: z.string().exactOptional() }, 'name'),
  /** `hash`: the version that is allowed, as its review shows it. */
  hook: form({ id: hookId.exactOptional(), hash: z.string().exactOptional() }, 'id'),
  /** As cards of the chat name it. Anything else, such as a session's id, is left alone: nothing else is needed. */
  hookName: z.object({ name: z.string().optional() }).catch({}).default({}),
  hookRun: form({ id: hookId.exactOptional(), startedAt: z.number().exactOptional() }, 'id'),
  openHook: form(
    { id: hookId.exactOptional(), path: z.string().exactOptional(), line: z.int().min(1).exactOptional() },
    'id',
  ),
  /** `hash`: the version that is allowed, as `managePlugins` gives it. */
  plugin: form({ id: z.string().exactOptional(), hash: z.string().exactOptional() }, 'id'),
  newPlugin: form({ name: z.string().exactOptional(), place: z.enum(['user', 'workspace']).exactOptional() }, 'name'),
  customisations: z.object({ list: z.boolean().exactOptional() }).default({}),
  effort: form({ effort: z.enum(['', ...EFFORTS]).exactOptional() }, 'effort'),
} as const;

/** Reads an argument: an object, or a string for its first field. @throws Error in words when it does not fit */
export function read<Form extends z.ZodType>(form: Form, argument: unknown): z.infer<Form> {
  const parsed = form.safeParse(argument);
  if (parsed.success) return parsed.data;
  throw new Error(vscode.l10n.t('The argument does not fit: {0}', z.prettifyError(parsed.error)));
}

function form<Shape extends z.ZodRawShape>(shape: Shape, first: keyof Shape & string) {
  return z.preprocess(
    (value) => (typeof value === 'string' ? { [first]: value } : (value ?? {})),
    z.strictObject(shape),
  );
}
