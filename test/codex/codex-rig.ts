/** The real loop on the real `codex app-server` of npm, whose model is the fake server. Nothing leaves this machine. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CodexOptions, type CodexWire, createCodexWire } from '../../src/agent/model/index.ts';
import { PlainEditorPort, ProcessRegistry, type ToolContext } from '../../src/agent/tools/index.ts';
import type { AgentSettings, LiveSession } from '../../src/agent/turn/index.ts';
import type { RecordedRequest, Step } from '../model-server/index.ts';
import { event, Rig } from '../unit/turn/rig.ts';

export const COMMAND = resolve('node_modules/.bin/codex');

export class CodexRig {
  readonly rig: Rig;
  readonly home: string;
  readonly #options: Partial<CodexOptions>;
  wire: CodexWire;

  /** @param more lines of Codex's own configuration */
  static async start(
    change: Partial<AgentSettings> = {},
    options: Partial<CodexOptions> = {},
    more = '',
  ): Promise<CodexRig> {
    return new CodexRig(await Rig.start('openai-chat', change), options, more);
  }

  private constructor(rig: Rig, options: Partial<CodexOptions>, more: string) {
    this.rig = rig;
    this.#options = options;
    this.home = mkdtempSync(join(tmpdir(), 'midcourse-codex-'));
    writeFileSync(join(this.home, 'config.toml'), `${config(rig.server.openAiBaseUrl)}\n${more}`);
    this.wire = this.#open();
  }

  get server(): Rig['server'] {
    return this.rig.server;
  }

  /** A home of its own: Codex starts login shells, and what a developer's profile does may take seconds. */
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, CODEX_HOME: this.home, HOME: this.home };
  }

  session(): LiveSession {
    return this.rig.agent.create();
  }

  /** Where Codex keeps its list of threads. */
  stateFiles(): readonly string[] {
    return readdirSync(this.home)
      .filter((name) => /\.(sqlite|db)/.test(name))
      .map((name) => join(this.home, name));
  }

  /** For a call that is run without the loop. */
  context(sessionId: string): ToolContext {
    const never = new AbortController().signal;
    return {
      sessionId,
      turnId: 't1',
      callId: 'c1',
      signal: never,
      killSignal: never,
      yieldSignal: never,
      folders: [this.rig.folder],
      output: () => undefined,
      later: () => undefined,
      editor: new PlainEditorPort(),
      processes: new ProcessRegistry(),
      seen: false,
      todos: { get: () => [], set: () => undefined },
      settings: { terminalTimeout: 30 },
    };
  }

  /** As after a reload of the window: another process, and only what is stored. */
  async reload(id: string): Promise<LiveSession> {
    await this.wire.dispose();
    this.wire = this.#open();
    return this.rig.reopen(id);
  }

  async close(): Promise<void> {
    await this.wire.dispose();
    await this.rig.close();
    // Codex writes its state a moment longer than it runs.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  #open(): CodexWire {
    const wire = createCodexWire({
      command: COMMAND,
      env: this.env,
      folder: () => this.rig.folder,
      ...this.#options,
    });
    this.rig.model = { wire, model: 'gpt-fake', ref: 'codex/gpt-fake', label: 'Codex', keepsHistory: true };
    return wire;
  }
}

/** No login, no telemetry, no downloads: its only server is the fake one. */
function config(baseUrl: string): string {
  return `model = "gpt-fake"
model_provider = "fake"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false
default_mode_request_user_input = true

[model_providers.fake]
name = "Fake"
base_url = "${baseUrl}"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
`;
}

/** A call of Codex's own tool for commands. */
export function run(cmd: string, more: Readonly<Record<string, unknown>> = {}): Step {
  return { call: { name: 'exec_command', input: { cmd, ...more } } };
}

/** A patch in Codex's own form, which it knows from a command. */
export function patch(lines: readonly string[]): Step {
  return run(`apply_patch <<'EOF'\n*** Begin Patch\n${lines.join('\n')}\n*** End Patch\nEOF`);
}

/** What a request of Codex's holds of the conversation: texts of the user, answers, calls and their results. */
export function said(request: RecordedRequest): readonly string[] {
  const { input = [] } = request.body as { input?: readonly Readonly<Record<string, unknown>>[] };
  return input.flatMap((item) => {
    if (item.type === 'function_call') return [`call ${item.arguments}`];
    if (item.type === 'function_call_output')
      return [`output ${typeof item.output === 'string' ? item.output : JSON.stringify(item.output)}`];
    if (item.type !== 'message' || item.role === 'developer') return [];
    const parts = item.content as readonly { readonly text?: string }[];
    const text = parts.map((part) => part.text ?? '[image]').join('|');
    return text.startsWith('<environment_context>') ? [] : [`${item.role}: ${text}`];
  });
}

/** Resolves with the approval that opens. */
export async function card(session: LiveSession, nth = 0): Promise<ReturnType<LiveSession['approvals']>[number]> {
  for (let since = 0; ; ) {
    const open = session.approvals()[nth];
    if (open) return open;
    const { seq } = await event(session, 'approval.opened', () => true, since);
    since = seq;
  }
}

/** Command lines of running processes that hold the text; not those of the tests themselves. */
export function processes(text: string): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !line.includes('ps -eo'));
}
