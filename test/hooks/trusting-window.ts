import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HookFiles, type ListedHook } from '../../src/agent/hooks/files/index.ts';
import { HookProcesses } from '../../src/agent/hooks/handlers/index.ts';
import { type HookAnswer, HookManager, type HookProblem } from '../../src/agent/hooks/index.ts';
import { samplePayload } from '../../src/agent/hooks/sample-payload.ts';
import { ConsentStore } from '../../src/agent/trust/index.ts';
import { systemClock } from '../../src/editor/clock.ts';
import type { HookEvent, HookPayload } from '../../src/hooks-api.ts';

const nothing = (): void => undefined;

/** The machine of one user: a home folder, a place for consents, and repositories. */
export class Machine implements AsyncDisposable {
  readonly root: string;
  readonly #windows: TrustingWindow[] = [];

  private constructor(root: string) {
    this.root = root;
  }

  static async start(): Promise<Machine> {
    const machine = new Machine(await realpath(await mkdtemp(join(tmpdir(), 'machine-'))));
    await mkdir(machine.home);
    await mkdir(machine.path('repository'));
    return machine;
  }

  get home(): string {
    return this.path('home');
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** Writes a file, with its folders; a script may be executed. */
  async write(name: string, content: string | object): Promise<string> {
    const path = this.path(name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    if (name.endsWith('.sh')) await chmod(path, 0o755);
    return path;
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** A window with the hook files read. */
  async open(
    options: { folders?: readonly string[]; trusted?: boolean; cline?: boolean } = {},
  ): Promise<TrustingWindow> {
    const folders = (options.folders ?? ['repository']).map((name) => this.path(name));
    const window = new TrustingWindow(this, folders, options.trusted ?? true, options.cline ?? false);
    this.#windows.push(window);
    await window.consents.watching;
    await window.files.reload();
    return window;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const window of this.#windows) await window.close();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** What of a window concerns hook files, without an editor. */
export class TrustingWindow {
  readonly problems: HookProblem[] = [];
  readonly warnings: string[] = [];
  readonly consents: ConsentStore;
  readonly manager: HookManager;
  readonly files: HookFiles;
  trusted: boolean;
  enabled = true;
  readonly #processes = new HookProcesses();
  readonly #folders: readonly string[];

  constructor(machine: Machine, folders: readonly string[], trusted: boolean, cline: boolean) {
    this.trusted = trusted;
    this.#folders = folders;
    const warn = (message: string): number => this.warnings.push(message);
    const log = { debug: nothing, info: nothing, warn, error: warn };
    this.consents = new ConsentStore({
      sealKey: async () => 'key',
      folder: machine.path('consents'),
      log,
      now: Date.now,
    });
    this.manager = new HookManager({ log, clock: systemClock, report: (problem) => this.problems.push(problem) });
    this.files = new HookFiles({
      home: machine.home,
      parts: {
        surroundings: { home: machine.home, folders, transcriptPath: async () => undefined },
        processes: this.#processes,
        environment: process.env,
        secretEnv: () => [],
        textFolder: machine.path('texts'),
      },
      registry: this.manager,
      consents: this.consents,
      log,
      folders: () => folders,
      isTrusted: () => this.trusted,
      settings: () => ({ enabled: this.enabled, cline }),
    });
    this.consents.onDidChange(() => void this.files.refresh());
  }

  /** The hook with these words in its name; the only one without words. */
  hook(words = ''): ListedHook {
    const found = this.files.list().filter(({ name }) => name.includes(words));
    const [first] = found;
    if (!first || found.length > 1) throw new Error(`${found.length} hooks are called ${words}`);
    return first;
  }

  states(): readonly string[] {
    return this.files.list().map(({ state }) => state.is);
  }

  /** What the user's *Allow* does. */
  async allow(hook = this.hook()): Promise<boolean> {
    if (!hook.consentable) return false;
    const { hash } = await this.consents.check(hook.consentable);
    const allowed = await this.consents.allow(hook.consentable, hash);
    await this.files.refresh();
    return allowed;
  }

  async allowAll(): Promise<void> {
    for (const hook of this.files.list()) await this.allow(hook);
  }

  async revoke(hook = this.hook()): Promise<void> {
    if (hook.consentable) await this.consents.revoke(hook.consentable);
    await this.files.refresh();
  }

  /** Fires an event, for the tool `terminal` where it has one. */
  fire(event: HookEvent = 'pre_tool_call', of: Partial<HookPayload<'pre_tool_call'>> = {}): Promise<HookAnswer> {
    const [cwd = ''] = this.#folders;
    const payload = samplePayload({ event, matches: () => true }, { cwd, model: 'fake/model' });
    return this.manager.fire(event, { ...payload, ...of } as HookPayload<typeof event>, new AbortController().signal);
  }

  /** Resolves when the list fits. */
  until(fits: () => boolean): Promise<void> {
    if (fits()) return Promise.resolve();
    return new Promise((resolve) => {
      const subscription = this.files.onDidChange(() => {
        if (!fits()) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.files.dispose();
    this.consents.dispose();
    await this.#processes.dispose();
    await this.manager.close();
  }
}

/** `.claude/settings.json` with one command for an event. */
export function claudeHook(command: string, event = 'PreToolUse', matcher?: string): object {
  return {
    hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command }] }] },
  };
}
