import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectRules } from '../../src/agent/hooks/dialects/index.ts';
import { type HookParts, HookProcesses, hookOf } from '../../src/agent/hooks/handlers/index.ts';
import { type HookAnswer, HookManager, type HookRun, type HookSource } from '../../src/agent/hooks/index.ts';
import type { HookEvent, HookPayload, HookPayloads } from '../../src/hooks-api.ts';

/** The real dispatcher with hooks of files that run as real processes, in a folder of its own. */
export class HookBench {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'midcourse-hooks-')));
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  readonly #processes = new HookProcesses();
  readonly manager = new HookManager({
    log: { debug() {}, info() {}, warn() {}, error() {} },
    clock: {
      now: Date.now,
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    report: ({ words }) => this.problems.push(words),
  });

  /** A script in the folder that may be executed. */
  script(name: string, text: string, mode = 0o755): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode });
    return path;
  }

  /** Registers the hooks of a file's text. Returns what its dialect read. */
  load(rules: DialectRules, text: string) {
    const read = rules.readConfig(text);
    this.warnings.push(...read.warnings, ...read.hooks.flatMap((hook) => hook.warnings));
    const source: HookSource = { is: 'file', scope: 'workspace', path: join(this.folder, 'hooks') };
    const runnable = read.hooks.filter((hook) => hook.event !== undefined && hook.broken === undefined);
    this.manager.replace(
      'file',
      runnable.map((hook) => hookOf(hook, rules, source, this.parts())),
    );
    return read;
  }

  parts(): HookParts {
    return {
      surroundings: {
        transcriptPath: async (sessionId) => join(this.folder, `${sessionId}.jsonl`),
        home: this.folder,
        folders: [this.folder],
      },
      processes: this.#processes,
      environment: process.env,
      secretEnv: () => [],
      textFolder: join(this.folder, 'texts'),
    };
  }

  payload<E extends HookEvent>(_event: E, own: HookPayloads[E], change: Partial<HookPayload> = {}): HookPayload<E> {
    const payload: unknown = {
      schema: 'midcourse.hooks.v1',
      session_id: 'session-1',
      session_key: 'session-1',
      turn_id: 'turn-1',
      platform: 'vscode',
      cwd: this.folder,
      model: 'openai/gpt-5.5',
      ...own,
      ...change,
    };
    return payload as HookPayload<E>;
  }

  /** Before a call of the terminal, or of another tool. */
  call(input: unknown = { command: 'ls' }, tool_name = 'terminal'): HookPayload<'pre_tool_call'> {
    return this.payload('pre_tool_call', { tool_call_id: 'call-1', tool_name, tool_input: input });
  }

  async fire<E extends HookEvent>(event: E, payload: HookPayload<E>): Promise<HookAnswer> {
    return await this.manager.fire(event, payload, new AbortController().signal);
  }

  /** The newest runs of all hooks. */
  runs(): readonly HookRun[] {
    return this.manager.list().flatMap(({ id }) => this.manager.runs(id));
  }

  /** All that hooks had started has ended; nothing runs afterwards. */
  async ended(): Promise<void> {
    await this.#processes.dispose();
  }

  async close(): Promise<void> {
    await this.ended();
    await this.manager.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
