import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  PlainEditorPort,
  ProcessRegistry,
  type Todo,
  type ToolContext,
  ToolRegistry,
} from '../../../src/agent/tools/index.ts';

/** A real folder, real processes, and a fresh set of tools. */
export class Workspace {
  readonly registry = new ToolRegistry();
  readonly processes = new ProcessRegistry();
  readonly stop = new AbortController();
  readonly kill = new AbortController();
  readonly yielding = new AbortController();
  shown = '';
  /** What the model is told after a result. */
  readonly told: string[] = [];
  #folder = '';
  #calls = 0;
  #todos: readonly Todo[] = [];

  get folder(): string {
    return this.#folder;
  }

  async open(): Promise<void> {
    this.#folder = await realpath(await mkdtemp(join(tmpdir(), 'midcourse-tools-')));
  }

  async close(): Promise<void> {
    await this.processes.killAll(AbortSignal.abort());
    await rm(this.#folder, { recursive: true, force: true });
  }

  path(...parts: string[]): string {
    return join(this.#folder, ...parts);
  }

  context(changes: Partial<ToolContext> = {}): ToolContext {
    return {
      sessionId: 's1',
      turnId: 't1',
      callId: `c${++this.#calls}`,
      signal: this.stop.signal,
      killSignal: this.kill.signal,
      yieldSignal: this.yielding.signal,
      folders: [this.#folder],
      output: (text) => {
        this.shown += text;
      },
      later: (text) => this.told.push(text),
      editor: new PlainEditorPort(),
      processes: this.processes,
      seen: false,
      todos: {
        get: () => this.#todos,
        set: (todos) => {
          this.#todos = todos;
        },
      },
      settings: { terminalTimeout: 180 },
      ...changes,
    };
  }

  /**
   * Parses the arguments as the loop does, looks up the permission, and runs the tool as if it was given. A call that a
   * test names was asked about before.
   */
  async run(name: string, args: unknown, changes: Partial<ToolContext> = {}) {
    const { tool, input } = this.#parsed(name, args);
    const context = this.context(changes);
    if (changes.callId === undefined) await tool.permission(input, context);
    return await tool.run(input, context);
  }

  /** As a model has to before it replaces a file. */
  async read(path: string): Promise<void> {
    const { tool, input } = this.#parsed('read_file', { path });
    await tool.run(input, this.context());
  }

  async permission(name: string, args: unknown, changes: Partial<ToolContext> = {}) {
    const { tool, input } = this.#parsed(name, args);
    return await tool.permission(input, this.context(changes));
  }

  #parsed(name: string, args: unknown) {
    const tool = this.registry.find(name);
    if (!tool) throw new Error(`no tool ${name}`);
    return { tool, input: tool.input.parse(args) };
  }
}

export const onLinux = process.platform === 'linux' ? it : it.skip;
