import * as vscode from 'vscode';
import type { DeclaredLanguageServer } from '../../agent/language-servers/index.ts';
import type { ServerProcess } from '../../agent/language-servers/server-process.ts';
import type { RecordProcess } from '../../agent/tools/index.ts';
import type { RunState } from '../../agent/trust/index.ts';
import type { OpenClient } from './client.ts';

export type LanguageServerState =
  | { readonly is: 'held'; readonly run: Exclude<RunState, { readonly is: 'active' }> }
  /** Until a document of its language is opened. */
  | { readonly is: 'stopped' }
  | { readonly is: 'starting' }
  | { readonly is: 'running' }
  | { readonly is: 'failed'; readonly why: string };

export interface LanguageServerNeeds {
  mayRun(server: DeclaredLanguageServer): Promise<RunState>;
  /** The environment that its process starts from; without keys. */
  environment(): NodeJS.ProcessEnv;
  readonly record: RecordProcess;
  onDidChange(): void;
}

/** Milliseconds within which restarts count as being in a row. */
const ROW = 3 * 60_000;

/** One language server: started by the first document that it is for, started again when it crashes, ended with its tree. */
export class LanguageServer {
  readonly declared: DeclaredLanguageServer;
  readonly #needs: LanguageServerNeeds;
  #state: LanguageServerState = { is: 'stopped' };
  /** What was last said to whether it may run. */
  #run: RunState = { is: 'active' };
  #client: OpenClient | undefined;
  #starting: Promise<void> | undefined;
  #ending: Promise<void> = Promise.resolve();
  /** Of its crashes in a row, milliseconds since the epoch. */
  #crashes: number[] = [];
  #controller = new AbortController();
  #channel: vscode.LogOutputChannel | undefined;
  /** By the user, who alone starts it again. */
  #stopped = false;

  constructor(declared: DeclaredLanguageServer, needs: LanguageServerNeeds) {
    this.declared = declared;
    this.#needs = needs;
  }

  get name(): string {
    return this.declared.name;
  }

  get state(): LanguageServerState {
    return this.#state;
  }

  /** Whether it may run, and what consent does not cover of it. */
  get run(): RunState {
    return this.#run;
  }

  get pid(): number | undefined {
    return this.#client?.process.pid;
  }

  /** True for a file that it is for, by its ending. */
  covers(path: string): boolean {
    return languageOf(this.declared, path) !== undefined;
  }

  /** Starts it, when it may run and does not run yet. Never rejects: the state says what came of it. */
  async start(by: 'user' | 'document'): Promise<void> {
    if (by === 'user') {
      this.#stopped = false;
      this.#crashes = [];
    }
    const over = this.#state.is === 'failed' && by === 'document';
    if (this.#client || this.#stopped || over) return;
    const starting = this.#starting ?? this.#start(this.#controller.signal);
    this.#starting = starting;
    await starting;
    if (this.#starting === starting) this.#starting = undefined;
  }

  /** Looks again whether it may run; ends it when it may not any more. */
  async review(): Promise<void> {
    const run = await this.#mayRun();
    if (run.is !== 'active') return await this.#end({ is: 'held', run });
    if (this.#state.is === 'held') this.#become({ is: 'stopped' });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#end({ is: 'stopped' });
  }

  showLog(): void {
    this.#log().show(true);
  }

  /** Ends it with its tree. */
  async close(): Promise<void> {
    await this.stop();
    this.#channel?.dispose();
    this.#channel = undefined;
  }

  async #mayRun(): Promise<RunState> {
    const run = await this.#needs.mayRun(this.declared);
    const isNews = JSON.stringify(run) !== JSON.stringify(this.#run);
    this.#run = run;
    if (isNews) this.#needs.onDidChange();
    return run;
  }

  async #start(signal: AbortSignal): Promise<void> {
    await this.#ending;
    const run = await this.#mayRun();
    if (signal.aborted) return;
    if (run.is !== 'active') return this.#become({ is: 'held', run });
    this.#become({ is: 'starting' });
    try {
      // Loaded by the first server that starts.
      const { openClient } = await import('./client.ts');
      const client = await openClient(this.declared, {
        environment: this.#needs.environment(),
        record: this.#needs.record,
        channel: this.#log(),
        signal,
        onGone: (process) => this.#gone(process),
      });
      if (signal.aborted) return await client.close();
      this.#client = client;
      this.#become({ is: 'running' });
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      this.#log().error(why);
      this.#become({ is: 'failed', why });
    }
  }

  /** It ended without being asked to. */
  #gone(process: ServerProcess): void {
    if (this.#client?.process !== process) return;
    const { definition } = this.declared;
    const client = this.#client;
    this.#client = undefined;
    this.#ending = Promise.all([this.#ending, client.close()]).then(() => undefined);
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((crash) => now - crash < ROW), now];
    const again = definition?.restartOnCrash === true && this.#crashes.length <= definition.maxRestarts;
    void process.ended.then((how) => {
      const why = vscode.l10n.t('The server has ended: {0}.', how);
      this.#log().error(why);
      if (this.#client || this.#state.is !== 'running') return;
      this.#become(again ? { is: 'stopped' } : { is: 'failed', why });
      if (again) void this.start('document');
    });
  }

  async #end(state: LanguageServerState): Promise<void> {
    this.#controller.abort();
    this.#controller = new AbortController();
    const before = [this.#ending, this.#starting, this.#client?.close()];
    this.#client = undefined;
    this.#starting = undefined;
    this.#become(state);
    this.#ending = Promise.all(before).then(() => undefined);
    await this.#ending;
  }

  #log(): vscode.LogOutputChannel {
    this.#channel ??= vscode.window.createOutputChannel(`Midcourse: ${this.name}`, { log: true });
    return this.#channel;
  }

  #become(state: LanguageServerState): void {
    this.#state = state;
    this.#needs.onDidChange();
  }
}

/** The language's id as the server knows it; the longest ending wins. */
export function languageOf({ definition }: DeclaredLanguageServer, path: string): string | undefined {
  const name = path.toLowerCase();
  const endings = Object.keys(definition?.languages ?? {}).filter((ending) => name.endsWith(ending));
  const longest = endings.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : definition?.languages[longest];
}
