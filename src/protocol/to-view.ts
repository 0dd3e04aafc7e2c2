/**
 * What the extension host says to the chat's page.
 *
 * The page first gets a `snapshot`; from then on `events`, each of which names the sequence number it follows (`from`)
 * and the one it reaches (`to`). A page whose own number is not `from` has missed something and answers `resync`; the
 * host then sends a new snapshot. A hidden page is sent nothing.
 */

import * as z from 'zod/mini';
import {
  approval,
  attachment,
  backgroundProcess,
  callSubject,
  childAgent,
  effort,
  item,
  modelUsage,
  phase,
  question,
  row,
  sessionEvent,
  sessionSummary,
  stateName,
  turnResult,
  usage,
} from './schemas.ts';

const list = <T extends z.ZodMiniType>(element: T) => z.readonly(z.array(element));
const optional = z.exactOptional;

/** As `LiveView` of the turn loop: what a session does at the moment of a snapshot. */
export const live = z.object({
  turnId: z.string(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  request: z.number(),
  attempt: z.number(),
  text: z.string(),
  reasoning: z.string(),
  tools: list(
    z.object({
      callId: z.string(),
      name: z.string(),
      /** A `ToolCallState`. */
      state: z.string(),
      label: z.string(),
      subject: optional(callSubject),
      startedAt: z.number(),
      /** The newest output, at most 4,000 characters. */
      output: z.string(),
    }),
  ),
});

export const meter = z.object({
  /** Tokens of the newest request, as far as known. */
  contextUsed: z.number(),
  /** Tokens; 0 when unknown. */
  contextWindow: z.number(),
  /** Of the whole session. */
  usage,
  /** US dollars of the whole session; absent means unknown. */
  costUsd: optional(z.number()),
  /** What fills the context; together they are `contextUsed`. */
  fills: optional(
    list(
      z.object({
        id: z.enum(['system_prompt', 'tool_definitions', 'images', 'conversation']),
        tokens: z.number(),
      }),
    ),
  ),
  /** Of the session's own turns, by model. */
  models: optional(list(modelUsage)),
  /** Of its agents, which is part of `usage`. */
  agents: optional(usage),
  /** Of its quiet reviews, which is not. */
  reviews: optional(usage),
  /** Budgets that are set; US dollars. */
  budgets: optional(list(z.object({ of: z.enum(['turn', 'session', 'day']), limit: z.number(), spent: z.number() }))),
  /** What the provider of the model in use said last is left. */
  limits: optional(
    z.object({
      /** Milliseconds since the epoch. */
      at: z.number(),
      windows: list(
        z.object({
          of: z.enum(['requests', 'tokens', 'input_tokens', 'output_tokens']),
          per: z.enum(['minute', 'hour', 'day', 'unknown']),
          limit: z.number(),
          remaining: z.number(),
          /** Milliseconds from `at` until it is whole again. */
          resetMs: optional(z.number()),
        }),
      ),
    }),
  ),
});

export const model = z.object({
  /** `provider/model`; empty while none is chosen. */
  ref: z.string(),
  label: z.string(),
  /** The scripted model: the page labels everything as a rehearsal. */
  practice: z.boolean(),
  /** False when it is known to see no images; absent when nobody knows. */
  vision: optional(z.boolean()),
  /** What an image is shrunk to before it is sent. */
  images: optional(z.object({ longestEdge: z.number(), bytes: z.number() })),
  /** How much it can be asked to think, weakest first; empty or absent where it cannot. */
  efforts: optional(list(effort)),
  /** What it is asked for; absent for the provider's default. */
  effort: optional(effort),
  /** A subscription pays: requests cost nothing of their own. */
  included: optional(z.literal(true)),
});

export const settings = z.object({
  busyInput: z.enum(['steer', 'queue', 'redirect']),
  /** After a turn that a reload interrupted; true when absent. */
  offersContinue: optional(z.boolean()),
  /** Pixels. 0 follows the editor's own font size. */
  fontSize: z.number(),
  /** CSS font family; empty follows the editor. */
  fontFamily: z.string(),
  editorFontSize: z.number(),
  editorFontFamily: z.string(),
  /** Decides how keys are written on buttons. */
  platform: z.enum(['mac', 'windows', 'linux']),
});

const state = z.object({
  state: stateName,
  phase: optional(phase),
  label: optional(z.string()),
  /** When this phase began, milliseconds since the epoch. */
  since: optional(z.number()),
  /** While a failed request waits: when it is repeated, milliseconds since the epoch. */
  until: optional(z.number()),
});

const commandButton = z.object({ label: z.string(), command: z.string() });

const welcome = z.object({
  suggestions: list(z.object({ title: z.string(), prompt: z.string() })),
  /** The model in use, or how to get one, with at most four buttons. */
  modelHint: z.object({ text: z.string(), actions: list(commandButton) }),
});

/** Words and marks of a stored call that its row does not hold. */
const callCard = z.object({
  callId: z.string(),
  /** What came of it, in words. */
  label: z.string(),
  subject: optional(callSubject),
  /** `+3 −1`, `exit 1`. */
  detail: optional(z.string()),
  durationMs: optional(z.number()),
  /** True when `openDiff` has something to show. */
  diff: optional(z.boolean()),
  /** The hook that refused the call, and why. */
  blockedBy: optional(z.object({ hook: z.string(), reason: z.string() })),
  /** The hook that changed the arguments of the call. */
  changedBy: optional(z.string()),
});

/** A stretch of the transcript. `rows` in order; results and cards of the turns and calls among them. */
export const stretch = z.object({
  rows: list(row),
  hasOlder: z.boolean(),
  turnResults: list(turnResult),
  calls: optional(list(callCard)),
});

const snapshot = z.object({
  type: z.literal('snapshot'),
  /** The session's sequence number this snapshot stands at. */
  seq: z.number(),
  session: z.object({
    id: z.string(),
    title: z.string(),
    /** Why nothing can be sent in it; absent when it can. */
    readOnly: optional(z.string()),
    /** True when another window has it and can be asked to let go of it. */
    canTakeOver: optional(z.boolean()),
  }),
  /** At most the newest 200 rows. */
  ...stretch.shape,
  /** Undelivered and returned ones, in the order of delivery. */
  items: list(item),
  approvals: list(approval),
  questions: list(question),
  state,
  live: z.nullable(live),
  meter,
  model,
  processes: list(backgroundProcess),
  /** All delegated agents, so that cards in older rows find theirs. */
  children: list(childAgent),
  settings,
  workspace: z.object({
    folders: list(z.string()),
    trusted: z.boolean(),
    /** Why tools are off, in words; absent when they are on. */
    toolsOff: optional(z.string()),
  }),
  welcome,
  draft: z.string(),
  /** Images of the unsent text. */
  draftImages: optional(list(attachment)),
});

const events = z.object({
  type: z.literal('events'),
  /** The sequence number that the page must be at. */
  from: z.number(),
  /** The sequence number it is at afterwards; numbers between may be missing, they belong to things unseen. */
  to: z.number(),
  events: list(sessionEvent),
  /** Ids of rows in `events` whose text is what was streamed last: the page has it, it is not sent again. */
  streamed: optional(list(z.string())),
  /** All that are open after `to`; present whenever one was opened or closed in `events`. */
  approvals: optional(list(approval)),
  questions: optional(list(question)),
  /** All undelivered and returned ones in the order of delivery; present whenever that order changed. */
  items: optional(list(item)),
  /** Cards of calls whose result came in `events`. */
  calls: optional(list(callCard)),
});

const reply = z.discriminatedUnion('ok', [
  z.object({ type: z.literal('reply'), requestId: z.string(), ok: z.literal(true), value: z.unknown() }),
  z.object({ type: z.literal('reply'), requestId: z.string(), ok: z.literal(false), message: z.string() }),
]);

const modelGroup = z.object({
  label: z.string(),
  models: list(
    z.object({
      ref: z.string(),
      label: z.string(),
      detail: optional(z.string()),
      /** Tokens. */
      contextWindow: optional(z.number()),
      vision: optional(z.boolean()),
      /** US dollars for a million tokens read and written; absent where nobody says. */
      price: optional(z.object({ input: z.number(), output: z.number() })),
      included: optional(z.literal(true)),
      efforts: optional(list(effort)),
    }),
  ),
});

/** A slash command of the composer. */
const slashEntry = z.object({
  /** Without the slash. */
  name: z.string(),
  description: z.string(),
  kind: z.enum(['builtin', 'prompt', 'command', 'skill']),
  /** In words, such as `workspace` or `plugin review`; empty for a built-in one. */
  source: z.string(),
  /** What may follow the name. */
  argumentHint: optional(z.string()),
});

export const toView = z.discriminatedUnion('type', [
  events,
  reply,
  snapshot,
  z.object({ type: z.literal('meter'), meter }),
  z.object({ type: z.literal('model'), model }),
  z.object({ type: z.literal('settings'), settings }),
  z.object({ type: z.literal('title'), title: z.string() }),
  z.object({ type: z.literal('sessions'), sessions: list(sessionSummary), currentId: z.string() }),
  z.object({ type: z.literal('models'), groups: list(modelGroup), current: z.string() }),
  /** A keybinding of the editor asks the page to send its composer's text. */
  z.object({ type: z.literal('submit'), as: z.enum(['send', 'steer', 'queue', 'redirect', 'stopAndSend']) }),
  z.object({ type: z.literal('slashCommands'), commands: list(slashEntry) }),
  z.object({ type: z.literal('focusComposer') }),
  /** The page is to say whether it has the focus. */
  z.object({ type: z.literal('askFocus') }),
  z.object({ type: z.literal('showHelp') }),
  /** Puts text into the composer, after what is there. */
  z.object({ type: z.literal('insertDraft'), text: z.string() }),
  /** A quiet line above the composer. */
  z.object({ type: z.literal('notice'), level: z.enum(['info', 'error']), text: z.string() }),
]);

export type ToView = z.infer<typeof toView>;
export type Snapshot = z.infer<typeof snapshot>;
export type EventsMessage = z.infer<typeof events>;
export type Stretch = z.infer<typeof stretch>;
export type LiveState = z.infer<typeof live>;
export type Meter = z.infer<typeof meter>;
export type ModelInUse = z.infer<typeof model>;
export type ViewSettings = z.infer<typeof settings>;
export type ViewState = z.infer<typeof state>;
export type Welcome = z.infer<typeof welcome>;
export type CallCard = z.infer<typeof callCard>;
export type SlashEntry = z.infer<typeof slashEntry>;
export type ModelGroup = z.infer<typeof modelGroup>;
