import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeRules } from '../../../../src/agent/hooks/dialects/claude/index.ts';
import type { DeclaredHook, DialectRules } from '../../../../src/agent/hooks/dialects/types.ts';
import { type HookParts, HookProcesses, hookOf } from '../../../../src/agent/hooks/handlers/index.ts';
import type { Hook, HookFailure } from '../../../../src/agent/hooks/index.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { bash, declared } from '../claude/payloads.ts';

/** Declared hooks run as in the product: real processes in a folder of their own. */
export class HandlerRig {
  readonly folder: string;
  readonly processes = new HookProcesses();
  readonly rules: DialectRules = claudeRules;

  static async start(): Promise<HandlerRig> {
    return new HandlerRig(await mkdtemp(join(tmpdir(), 'midcourse-hooks-')));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  async close(): Promise<void> {
    await this.processes.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  hook(of: DeclaredHook, change: Partial<HookParts> = {}): Hook {
    const parts: HookParts = {
      surroundings: { transcriptPath: async () => undefined, home: this.folder, folders: [this.folder] },
      processes: this.processes,
      environment: { ...process.env },
      secretEnv: () => [],
      textFolder: join(this.folder, 'texts'),
      ...change,
    };
    return hookOf(of, this.rules, { is: 'file', scope: 'workspace', path: join(this.folder, 'settings.json') }, parts);
  }

  /** A hook of PreToolUse that runs a line of shell. */
  command(line: string, handler: object = {}, change: Partial<HookParts> = {}): Hook {
    return this.hook(declared('PreToolUse', { command: line, ...handler }), change);
  }

  payload(command = 'ls'): HookPayload<'pre_tool_call'> {
    return { ...bash(command), cwd: this.folder };
  }

  run(hook: Hook, signal: AbortSignal = new AbortController().signal) {
    return hook.run(this.payload(), signal);
  }

  /** How a run fails. */
  async failure(hook: Hook, signal?: AbortSignal): Promise<HookFailure> {
    return await this.run(hook, signal).then(
      (reply) => {
        throw new Error(`It did not fail: ${JSON.stringify(reply)}`);
      },
      (error: HookFailure) => error,
    );
  }
}
