/** The calls that stand for items of Codex. They ask when Codex asks, and end as the item ends. */

import type * as z from 'zod';
import { commandNeed, inspectCommand, maskKeys, maskRanges, shortCommand } from '../../safety/index.ts';
import type { PermissionNeed, Tool, ToolContext, ToolResult } from '../../tools/types.ts';
import { attach } from './attached-call.ts';
import { inputs, NAMES } from './calls.ts';
import { type Change, changedLines, changeOf, nameOf, writeNeed } from './changes.ts';
import type { LiveItem } from './live-item.ts';
import { unwrapped } from './shell-command.ts';
import type { CodexThread } from './thread.ts';

export interface FoundItem {
  readonly item: LiveItem;
  readonly thread: CodexThread;
}

/** The item of that id in that session, while it is known. */
export type FindItem = (sessionId: string, itemId: string) => FoundItem | undefined;

type InputOf<Kind extends keyof typeof inputs> = z.infer<(typeof inputs)[Kind]>;

export function codexTools(find: FindItem): readonly Tool[] {
  const carriedOut = {
    by: 'Codex',
    waits: ({ item }: { readonly item: string }, sessionId: string) =>
      find(sessionId, item)?.item.question !== undefined,
  };
  const tools = [
    commandTool(find),
    editTool(find),
    mcpTool(find),
    dynamicTool(find),
    searchTool(find),
    askTool(find),
    elicitationTool(find),
  ];
  return tools.map((tool) => ({ ...tool, carriedOut })) as readonly Tool[];
}

const DESCRIPTION = 'Done by Codex itself.';

const GONE: ToolResult = {
  status: 'error',
  text: 'Only Codex itself makes this call, and what it stood for is over. Nothing was run.',
};

async function follow(find: FindItem, itemId: string, context: ToolContext): Promise<ToolResult> {
  const found = find(context.sessionId, itemId);
  return found ? await attach(found.item, found.thread, context) : GONE;
}

function asking(find: FindItem, itemId: string, context: ToolContext): LiveItem | undefined {
  const item = find(context.sessionId, itemId)?.item;
  return item?.question ? item : undefined;
}

/**
 * A no reaches Codex with the next request, together with its reason. While other calls run, or ask, that request would wait
 * for them, and they perhaps for the no: then it goes at once, and the reason later.
 */
function tellOfDenial(find: FindItem, itemId: string, { sessionId, signal }: ToolContext): void {
  const onAbort = () => {
    const found = find(sessionId, itemId);
    if (signal.reason !== 'denied' || !found?.item.question || !found.thread.hasCallsBeside(found.item)) return;
    found.item.refused = true;
    found.item.reply({ allowed: false });
  };
  signal.addEventListener('abort', onAbort, { once: true });
}

function commandTool(find: FindItem): Tool<InputOf<'commandExecution'>> {
  return {
    name: NAMES.commandExecution,
    description: DESCRIPTION,
    input: inputs.commandExecution,
    overlap: 'parallel',
    longRunning: true,
    subject: ({ command }) => ({ verb: 'run', object: shortCommand(maskKeys(command)) }),
    async permission({ item: id, cwd }, context) {
      const item = asking(find, id, context);
      if (!item) return undefined;
      const need = await runNeed(item, cwd, context);
      if (need) tellOfDenial(find, id, context);
      return need;
    },
    async run({ item: id }, context) {
      const item = asking(find, id, context);
      // What Codex does not ask about it runs itself, by its own rules.
      if (!item) return await follow(find, id, context);
      const { script, shell } = askedFor(item);
      const { verdict } = await inspectCommand(script, shell);
      if (verdict.level !== 'blocked') return await follow(find, id, context);
      const text = `This command is never run: ${verdict.why} Do not try it in another form.`;
      return { status: 'blocked', text, detail: 'blocked' };
    },
  };
}

/** What Codex wants leave for, which may be a part of what the item shows. */
function askedFor({ item, question }: LiveItem) {
  const params = question?.request.params;
  const asked = params && 'command' in params ? params.command : undefined;
  return unwrapped(asked || (item.type === 'commandExecution' ? item.command : ''));
}

/** Undefined for what is never run. */
async function runNeed(item: LiveItem, cwd: string, { folders }: ToolContext): Promise<PermissionNeed | undefined> {
  const { question } = item;
  const { script: command, shell } = askedFor(item);
  const need = await commandNeed(command, shell, { cwd, folders });
  if (need.blocked !== undefined) return undefined;
  const params =
    question?.request.method === 'item/commandExecution/requestApproval' ? question.request.params : undefined;
  const again = params?.kind === 'writeStdin';
  const named = cwd === folders[0] ? undefined : nameOf(cwd, folders);
  const reason = params?.reason ? ` Codex says: ${params.reason}` : '';
  return {
    kind: 'run',
    summary: `${again ? 'Write to' : 'Run'}${named === undefined ? '' : ` in ${named}`}: ${shortCommand(maskRanges(command, need.masked))}`,
    why: `${need.why}${reason}`,
    command,
    masked: need.masked,
    ...(named === undefined ? {} : { cwd: named }),
    // git that Codex starts is not kept from the repository's own programs.
    ...(need.rule && !need.rule.readsGit && !again ? { rule: need.rule } : {}),
    ...(need.dangers.length > 0 ? { always: true, dangers: need.dangers } : {}),
  };
}

function editTool(find: FindItem): Tool<InputOf<'fileChange'>> {
  /** As the files were when the user was asked, or when the call began. */
  const planned = new WeakMap<LiveItem, Change>();
  const plan = async (item: LiveItem | undefined) => {
    const [first] = item?.item.type === 'fileChange' ? item.item.changes : [];
    if (item && first && !planned.has(item)) planned.set(item, await changeOf(first));
    return item && planned.get(item);
  };
  return {
    name: NAMES.fileChange,
    description: DESCRIPTION,
    input: inputs.fileChange,
    overlap: 'parallel',
    subject: ({ paths }) => ({
      verb: 'edit',
      object: paths.map((path) => path.split(/[\\/]/).at(-1)).join(', '),
    }),
    async permission({ item: id }, context) {
      const item = asking(find, id, context);
      if (item?.item.type !== 'fileChange') return undefined;
      tellOfDenial(find, id, context);
      const params = item.question?.request.params;
      const reason = params && 'reason' in params ? (params.reason ?? undefined) : undefined;
      return await writeNeed(item.item.changes, await plan(item), context.folders, reason);
    },
    async run({ item: id }, context) {
      const item = find(context.sessionId, id)?.item;
      const diff = item && !item.over ? await plan(item) : item && planned.get(item);
      await context.editor.snapshotDiagnostics(
        item?.item.type === 'fileChange' ? item.item.changes.map(({ path }) => path) : [],
      );
      const result = await follow(find, id, context);
      if (result.status !== 'success' || !diff) return result;
      return { ...result, diff, detail: changedLines(diff) };
    },
  };
}

function mcpTool(find: FindItem): Tool<InputOf<'mcpToolCall'>> {
  return {
    name: NAMES.mcpToolCall,
    description: DESCRIPTION,
    input: inputs.mcpToolCall,
    overlap: 'parallel',
    longRunning: true,
    subject: ({ server, tool }) => ({ verb: 'use', object: tool, where: server }),
    async permission({ item: id, server, tool, arguments: input }, context) {
      const params = asking(find, id, context)?.question?.request.params;
      if (!params || !('message' in params)) return undefined;
      tellOfDenial(find, id, context);
      return {
        kind: 'run',
        summary: `Use ${tool} of ${server}`,
        why: params.message,
        command: `${tool} ${JSON.stringify(input ?? {})}`,
        rule: { key: `codex-mcp:${server}/${tool}`, words: `the tool ${tool} of the server ${server}` },
      };
    },
    run: async ({ item }, context) => await follow(find, item, context),
  };
}

function dynamicTool(find: FindItem): Tool<InputOf<'dynamicToolCall'>> {
  return {
    name: NAMES.dynamicToolCall,
    description: DESCRIPTION,
    input: inputs.dynamicToolCall,
    overlap: 'parallel',
    subject: ({ tool }) => ({ verb: 'use', object: tool }),
    permission: async () => undefined,
    run: async ({ item }, context) => await follow(find, item, context),
  };
}

function searchTool(find: FindItem): Tool<InputOf<'webSearch'>> {
  return {
    name: NAMES.webSearch,
    description: DESCRIPTION,
    input: inputs.webSearch,
    overlap: 'parallel',
    subject: ({ query }) => ({ verb: 'searchWeb', object: query }),
    permission: async () => undefined,
    run: async ({ item }, context) => await follow(find, item, context),
  };
}

function askTool(find: FindItem): Tool<InputOf<'ask'>> {
  return {
    name: NAMES.ask,
    description: DESCRIPTION,
    input: inputs.ask,
    overlap: 'barrier',
    subject: ({ question }) => ({ verb: 'ask', object: question }),
    permission: async () => undefined,
    question: ({ question, choices }) => ({
      text: question,
      choices: choices.map((label, index) => ({ id: `choice-${index + 1}`, label })),
      multiple: false,
      freeText: true,
    }),
    async run({ item: id, choices }, { sessionId, answer }) {
      const item = find(sessionId, id)?.item;
      if (!item) return GONE;
      const given = (typeof answer === 'string' ? [answer] : (answer ?? [])).map(
        (one) => choices.find((_, index) => `choice-${index + 1}` === one) ?? one,
      );
      const words = given.join('; ');
      item.reply(words === '' ? { allowed: false } : { words });
      item.end();
      return { status: 'success', text: words === '' ? 'The user did not answer.' : `The user answered: ${words}` };
    },
  };
}

function elicitationTool(find: FindItem): Tool<InputOf<'elicitation'>> {
  return {
    name: NAMES.elicitation,
    description: DESCRIPTION,
    input: inputs.elicitation,
    overlap: 'parallel',
    subject: ({ server }) => ({ verb: 'answer', object: server }),
    async permission({ item, server, message }, context) {
      tellOfDenial(find, item, context);
      return { kind: 'run', summary: `Answer ${server} with yes: ${message}`, why: 'A server that Codex uses asks.' };
    },
    async run({ item: id }, { sessionId }) {
      const item = find(sessionId, id)?.item;
      if (!item) return GONE;
      item.reply({ allowed: true });
      item.end();
      return { status: 'success', text: 'The user agreed.' };
    },
  };
}
