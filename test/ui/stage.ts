import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { testIds } from '../../src/protocol/test-ids.ts';
import { type Chat, type Editor, type EditorWindow, sharedEditor } from '../harness/index.ts';
import { ModelServer, type RecordedRequest } from '../model-server/index.ts';

export type Wire = 'openai-chat' | 'anthropic';
export const wires: readonly Wire[] = ['openai-chat', 'anthropic'];

/** Longest wait for anything that a page should come to show, ms: the machine may be busy with other things. */
const patience = 90_000;

interface StageOptions {
  readonly wire?: Wire;
  /** Default: a fresh copy of the sample workspace. Null: a window without a folder. */
  readonly folder?: string | null;
  /** Machine settings beside those of the model; undefined takes one away. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A window with the chat open whose model is a fake server in this process. */
export class Stage implements AsyncDisposable {
  static readonly open = new Set<Stage>();

  readonly editor: Editor;
  readonly window: EditorWindow;
  readonly server: ModelServer;
  readonly folder: string;
  readonly #settings: readonly string[];

  private constructor(
    editor: Editor,
    window: EditorWindow,
    server: ModelServer,
    folder: string,
    settings: readonly string[],
  ) {
    this.editor = editor;
    this.window = window;
    this.server = server;
    this.folder = folder;
    this.#settings = settings;
    Stage.open.add(this);
  }

  static async start(name: string, options: StageOptions = {}): Promise<Stage> {
    const editor = await sharedEditor();
    const server = await ModelServer.start();
    const settings = { ...modelSettings(server, options.wire ?? 'openai-chat'), ...options.settings };
    await editor.setMachineSettings(settings);
    const folder = options.folder === undefined ? await editor.copyWorkspace(name) : options.folder;
    const window = await editor.open(folder === null ? {} : { folder });
    window.page.setDefaultTimeout(patience);
    const stage = new Stage(editor, window, server, folder ?? '', Object.keys(settings));
    await window.chat.open();
    return stage;
  }

  get chat(): Chat {
    return this.window.chat;
  }

  /** An empty session, nothing that runs, and a server that has forgotten what was before. */
  async fresh(): Promise<void> {
    const stop = this.chat.byId(testIds.stop);
    if (await stop.isVisible()) {
      await stop.click();
      await stop.waitFor({ state: 'hidden' });
    }
    this.server.reset();
    await this.chat.newSession();
  }

  /** The next request to a model; what else the server is asked (its list of models) is passed over. */
  async nextRequest(): Promise<RecordedRequest> {
    for (;;) {
      const request = await this.server.nextRequest();
      if (request.wire !== 'models') return request;
    }
  }

  /** Every request to a model since the server was reset. */
  get modelRequests(): readonly RecordedRequest[] {
    return this.server.requests.filter((request) => request.wire !== 'models');
  }

  file(name: string): Promise<string> {
    return readFile(path.join(this.folder, name), 'utf8');
  }

  /** Writes a user or machine setting and waits until the window has it; undefined removes it. */
  async configure(name: string, value: unknown): Promise<void> {
    await this.window.run(
      (vscode, setting) =>
        vscode.workspace.getConfiguration().update(setting.name, setting.value, vscode.ConfigurationTarget.Global),
      { name, value },
    );
  }

  /** Throws when the chat's page had problems on the way. */
  async close(): Promise<void> {
    Stage.open.delete(this);
    await this.window.close();
    await this.server.close();
    await this.editor.setMachineSettings(Object.fromEntries(this.#settings.map((name) => [name, undefined])));
    this.window.problems.assertNone();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Both wires as providers; the wire's own is the chosen one. */
function modelSettings(server: ModelServer, wire: Wire): Readonly<Record<string, unknown>> {
  return {
    'midcourse.model': `${wire}/test-model`,
    'midcourse.providers': {
      'openai-chat': { api: 'openai-chat', baseUrl: server.openAiBaseUrl },
      anthropic: { api: 'anthropic', baseUrl: server.origin },
    },
  };
}
