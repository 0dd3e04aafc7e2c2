import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rulesOf } from '../../../src/agent/hooks/dialects/index.ts';
import { HookProcesses } from '../../../src/agent/hooks/handlers/index.ts';
import type { HookManager } from '../../../src/agent/hooks/index.ts';
import type { CompletionPort } from '../../../src/agent/model/index.ts';
import { type PluginProblem, PluginSet, type PluginSettings } from '../../../src/agent/plugins/index.ts';
import { ToolRegistry } from '../../../src/agent/tools/index.ts';
import { ConsentStore } from '../../../src/agent/trust/index.ts';
import type { Clock, Log } from '../../../src/agent/turn/types.ts';
import { RigHooks } from '../turn/rig-hooks.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/plugins', import.meta.url));
const entry = fileURLToPath(new URL('../../../src/agent/plugins/host/plugin-host.child.ts', import.meta.url));

const realClock: Clock = {
  now: Date.now,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

interface PluginRigParts {
  readonly hooks?: HookManager;
  readonly tools?: ToolRegistry;
  readonly clock?: Clock;
  /** Another window of the same user on the same workspace. */
  readonly sharing?: PluginRig;
}

/** Real plugin folders, real consents, real processes; the dispatcher and the tools may be those of a rig of turns. */
export class PluginRig {
  readonly home: string;
  readonly folder: string;
  readonly problems: PluginProblem[] = [];
  readonly logged: string[] = [];
  readonly disabled = new Set<string>();
  readonly manager: HookManager;
  readonly tools: ToolRegistry;
  readonly consents: ConsentStore;
  readonly plugins: PluginSet;
  readonly #processes: HookProcesses;
  readonly #looking = new Set<() => void>();
  trusted = true;
  settings: PluginSettings = {
    ofWorkspaces: true,
    memory: 256,
    mayReplaceTools: {},
    models: {},
    config: {},
    secretEnv: ['MY_OWN_KEY'],
  };
  completion: CompletionPort = { complete: async () => ({ text: 'asked', model: 'fake/model' }) };

  constructor({
    hooks = new RigHooks().manager,
    tools = new ToolRegistry(),
    clock = realClock,
    sharing,
  }: PluginRigParts = {}) {
    this.home = sharing?.home ?? realpathSync(mkdtempSync(join(tmpdir(), 'midcourse-home-')));
    this.folder = sharing?.folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'midcourse-plugged-')));
    this.manager = hooks;
    this.tools = tools;
    const log: Log = { debug() {}, info() {}, warn() {}, error: (message) => console.error(message) };
    this.#processes = new HookProcesses();
    this.consents = new ConsentStore({
      sealKey: async () => 'key',
      folder: join(this.home, 'consents'),
      log,
      now: Date.now,
    });
    const write = (level: string) => (message: string) => {
      this.logged.push(`${level}: ${message}`);
      for (const look of this.#looking) look();
    };
    this.plugins = new PluginSet({
      homes: () => [
        { path: join(this.folder, '.midcourse/plugins'), scope: 'workspace', folder: this.folder },
        { path: join(this.home, '.midcourse/plugins'), scope: 'user' },
      ],
      folders: () => [this.folder],
      settings: () => this.settings,
      isEnabled: (id) => !this.disabled.has(id),
      isTrusted: () => this.trusted,
      consents: this.consents,
      hooks,
      tools,
      hookParts: {
        surroundings: { transcriptPath: async () => undefined, home: this.home, folders: [this.folder] },
        processes: this.#processes,
        environment: process.env,
        secretEnv: () => this.settings.secretEnv,
        textFolder: join(this.home, 'texts'),
      },
      rulesOf,
      completion: { complete: (...asked) => this.completion.complete(...asked) },
      takenCommands: () => ['compact'],
      dataFolder: join(this.home, 'data'),
      entry,
      environment: { ...process.env, MY_OWN_KEY: 'secret', OPENAI_API_KEY: 'secret' },
      clock,
      log,
      pluginLog: () => ({ debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }),
      problem: (problem) => this.problems.push(problem),
    });
  }

  /** Writes a plugin's files. @returns its folder */
  write(name: string, files: Readonly<Record<string, unknown>>, scope: 'user' | 'workspace' = 'user'): string {
    const root = join(scope === 'user' ? this.home : this.folder, '.midcourse/plugins', name);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    }
    return root;
  }

  /** A plugin of Midcourse's own format, whose code is `register`'s body. */
  code(name: string, body: string, manifest: object = {}, scope: 'user' | 'workspace' = 'user'): string {
    return this.write(
      name,
      {
        'plugin.json': { name, main: './index.mjs', ...manifest },
        'index.mjs': `export async function register(ctx) {\n${body}\n}\n`,
      },
      scope,
    );
  }

  /** One of `test/fixtures/plugins`. */
  copy(name: string): void {
    cpSync(join(fixtures, name), join(this.home, '.midcourse/plugins', name), { recursive: true });
  }

  /** Allows everything as it is, and loads it. */
  async load(): Promise<void> {
    await this.plugins.refresh();
    for (const { consentable } of this.plugins.list()) {
      if (consentable) await this.consents.allow(consentable, (await this.consents.check(consentable)).hash);
    }
    await this.plugins.refresh();
  }

  of(id: string) {
    const listed = this.plugins.list().find(({ plugin }) => plugin.id === id);
    if (!listed) throw new Error(`${id} is not listed`);
    return listed;
  }

  /** In words: `active`, `broken: why`. */
  state(id: string): string {
    const { state } = this.of(id);
    return 'why' in state ? `${state.is}: ${state.why}` : state.is;
  }

  /** Resolves when it holds; asked again at each change of the plugins. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      if (holds()) return resolve();
      const listening = this.plugins.onDidChange(() => {
        if (!holds()) return;
        listening.dispose();
        resolve();
      });
    });
  }

  /** Resolves when a plugin has logged it. */
  logs(line: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.logged.includes(line)) resolve();
      };
      this.#looking.add(look);
      look();
    });
  }

  pid(id: string): number | undefined {
    const { process } = this.of(id);
    return process?.is === 'running' ? process.pid : undefined;
  }

  async close(): Promise<void> {
    await this.plugins.close();
    await this.#processes.dispose();
    this.consents.dispose();
    rmSync(this.home, { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** True while the process is there and no zombie of a test that waits for it. */
export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) || signalled(pid);
}

function signalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // There is no such process, which is the answer.
    return false;
  }
}
