import type { ModelRequest, ModelWire, ProgramModel } from '../types.ts';
import { Conversation } from './conversation.ts';
import { answers } from './protocol.ts';
import { CodexServer } from './server.ts';
import { codexTools, type FoundItem } from './tools.ts';

export interface CodexOptions {
  /** Name or path of the program; `codex`, looked for in PATH, by default. */
  readonly command?: string;
  /** The environment it is started with, without the keys of other providers; this process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where Codex works, asked for each thread. */
  readonly folder?: () => string | undefined;
  /** Milliseconds that Codex may take to react to what it is told; 30,000 by default. A model's answer is not meant. */
  readonly patience?: number;
  /** Milliseconds that an item may take to ask for leave before it counts as allowed; 300 by default. */
  readonly leave?: number;
}

export interface CodexWire extends ModelWire {
  /** What the user's account can choose. @throws CodexFailure */
  models(): Promise<readonly ProgramModel[]>;
  /** Of the process that runs; also the id of its group, but on Windows. */
  readonly pid: number | undefined;
  turnEnded(cacheKey: string): void;
  dispose(): Promise<void>;
}

/**
 * Codex's own agent as a model: its `app-server` runs as a child process and keeps the conversation; what it does is
 * shown as tool calls, and what it asks is asked by our cards.
 */
export function createCodexWire(options: CodexOptions = {}): CodexWire {
  const { command = 'codex', env = process.env, patience = 30_000, leave = 300, folder = () => undefined } = options;
  let running: Promise<CodexServer> | undefined;
  let newest: CodexServer | undefined;
  let closed = false;
  const conversations = new Map<string, Conversation>();

  const start = async (before: CodexServer | undefined): Promise<CodexServer> => {
    // Two of them would stand in each other's way at the threads on disk.
    await before?.gone;
    newest = await CodexServer.start({ command, env, patience });
    return newest;
  };
  const server = async (): Promise<CodexServer> => {
    for (;;) {
      if (closed) throw new Error('the extension is closing');
      if (!running || (newest && !newest.usable)) {
        const before = newest;
        newest = undefined;
        running = start(before);
        // One that could not be started is not waited for again.
        running.catch(() => {
          running = undefined;
        });
      }
      const started = await running;
      if (started.usable) return started;
    }
  };
  const created = () => new Conversation({ server, folder, leave });
  const conversationOf = (request: ModelRequest): Conversation => {
    if (request.once) return created();
    const known = conversations.get(request.cacheKey) ?? created();
    conversations.set(request.cacheKey, known);
    return known;
  };
  const find = (sessionId: string, itemId: string): FoundItem | undefined => {
    const thread = conversations.get(sessionId)?.thread;
    const item = thread?.item(itemId);
    return thread && item && { thread, item };
  };

  return {
    ownTools: codexTools(find),
    get pid() {
      return newest?.usable ? newest.pid : undefined;
    },
    async *stream(request, signal) {
      const conversation = conversationOf(request);
      try {
        yield* conversation.stream(request, signal);
      } finally {
        // Whoever has read enough does not come back to ask for more.
        if (request.once) await conversation.dispose();
      }
    },
    turnEnded(cacheKey) {
      const conversation = conversations.get(cacheKey);
      if (conversation?.thread?.busy) conversation.interrupt();
    },
    async compact(cacheKey, signal) {
      return (await conversations.get(cacheKey)?.compact(signal)) ?? false;
    },
    async models() {
      const { data } = await (await server()).call('model/list', {}, answers.models);
      return data.filter(({ hidden }) => !hidden).map(({ id, displayName }) => ({ id, label: displayName }));
    },
    async dispose() {
      closed = true;
      await Promise.all([...conversations.values()].map((conversation) => conversation.dispose()));
      conversations.clear();
      const last = await running?.catch(() => undefined);
      await last?.dispose();
    },
  };
}
