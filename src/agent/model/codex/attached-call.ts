/** The run of a call that stands for an item of Codex: it watches the item, and never runs anything itself. */

import { EventEmitter } from 'node:events';
import { HeadTailBuffer } from '../../tools/index.ts';
import type { Exit, ToolContext, ToolResult } from '../../tools/types.ts';
import { commandRoot } from './command-processes.ts';
import type { LiveItem } from './live-item.ts';
import { resultOf } from './results.ts';
import { scriptOf } from './shell-command.ts';
import type { CodexThread } from './thread.ts';

const OUTPUT_CHARACTERS = 50_000;

/** Follows the item to its end, to a stop, or to where it goes on in the background. */
export async function attach(item: LiveItem, thread: CodexThread, context: ToolContext): Promise<ToolResult> {
  const startedAt = Date.now();
  if (item.output !== '') context.output(item.output);
  const silence = item.listen((text) => context.output(text));
  item.reply({ allowed: true });
  thread.following += 1;
  try {
    let mayMove = true;
    for (;;) {
      if (context.signal.aborted) return await stopped(item, thread, context);
      if (item.over) return resultOf(item, context.folders);
      if (mayMove && (context.yieldSignal.aborted || item.left)) {
        const moved = await moveToBackground(item, thread, context, startedAt);
        if (moved) return moved;
        mayMove = false;
      }
      if (thread.asks) {
        item.openAgain = true;
        return {
          status: 'yielded',
          text: withOutput(item, '[still running: another request for leave came in between; it goes on below]'),
        };
      }
      await item.changed.next([context.signal, ...(mayMove ? [context.yieldSignal] : [])]);
    }
  } finally {
    thread.following -= 1;
    silence();
  }
}

async function stopped(item: LiveItem, thread: CodexThread, { killSignal }: ToolContext): Promise<ToolResult> {
  const hurry = () => thread.hurry();
  if (killSignal.aborted) hurry();
  killSignal.addEventListener('abort', hurry);
  try {
    await thread.interrupt();
  } finally {
    killSignal.removeEventListener('abort', hurry);
  }
  const { survivors } = item;
  const left = survivors.map(({ pid, command }) => `${pid} (${command})`).join(', ');
  const remaining = left === '' ? '' : `[These processes could not be ended: ${left}]\n`;
  return {
    status: 'stopped',
    text: withOutput(item, `${remaining}[stopped, may have run in part]`),
    detail: 'stopped',
    ...(survivors.length > 0 ? { survivors } : {}),
  };
}

/** Undefined for what has no process of its own: it goes on as if nothing had been asked. */
async function moveToBackground(
  item: LiveItem,
  thread: CodexThread,
  context: ToolContext,
  startedAt: number,
): Promise<ToolResult | undefined> {
  const work = item.item;
  if (work.type !== 'commandExecution') return undefined;
  const root = await commandRoot(thread.id, item.id);
  if (!root || item.over) return undefined;
  item.background = true;
  const asked = context.yieldSignal.aborted;
  const byUser = asked && context.yieldSignal.reason === 'user';
  const read = item.ended();
  const process = context.processes.adopt({
    child: exitOf(item),
    root,
    command: scriptOf(work.command),
    cwd: work.cwd,
    turnId: context.turnId,
    startedBy: byUser ? 'user' : 'yield',
    startedAt,
    output: item.output,
    read,
    listen: (onText) => item.listen(onText),
  });
  // New guidance is waiting: Codex would wait for the command a while longer before it read it.
  if (asked && !byUser) await thread.interrupt();
  const why = byUser
    ? 'because the user moved it there'
    : asked
      ? 'because the user sent new guidance, which follows'
      : 'and Codex went on with its work';
  const note = `[still running: it goes on in the background as ${process.id} (pid ${process.pid}), ${why}]`;
  return { status: 'yielded', text: withOutput(item, note), detail: `in the background as ${process.id}` };
}

function withOutput({ output }: LiveItem, note: string): string {
  const bounded = new HeadTailBuffer(OUTPUT_CHARACTERS);
  bounded.append(output.trimEnd());
  return [bounded.text(), note].filter((part) => part !== '').join('\n');
}

/** The end of an item as that of a process. Codex tells an exit code, and no signal. */
function exitOf(item: LiveItem): Exit {
  const events = new EventEmitter();
  void item.ended().then(() => events.emit('exit'));
  return {
    get exitCode() {
      return item.over && item.item.type === 'commandExecution' ? (item.item.exitCode ?? -1) : null;
    },
    signalCode: null,
    once: (event, listener) => events.once(event, listener),
  };
}
