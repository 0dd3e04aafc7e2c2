import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { windowAddress } from '../../scripts/editor/address.ts';
import { startBrowser } from '../../scripts/editor/browser.ts';
import { installEditor } from '../../scripts/editor/install.ts';
import { LaunchScope } from '../../scripts/editor/launch-scope.ts';
import { repository } from '../../scripts/editor/places.ts';
import { type EditorServer, machineSettingsFile, startServer } from '../../scripts/editor/server.ts';
import { type Host, Hosts } from './host.ts';
import { EditorWindow } from './window.ts';

export interface EditorOptions {
  /** The extension as a folder under development (default: this repository) … */
  readonly extension?: string;
  /** … or as a VSIX that is installed for real. `none` gives an editor without it, to compare with. */
  readonly vsix?: string;
  readonly none?: boolean;
  /** Settings of the remote machine, where `midcourse.*` of every scope but `application` may stand. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Leave workspace trust on: every folder starts restricted. */
  readonly untrusted?: boolean;
  /** Added to the environment of the server, so of the extension host and of its commands. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface WindowOptions {
  /** Absolute path. Without it a window without a folder. */
  readonly folder?: string;
  readonly browser?: BrowserContextOptions;
}

/** The extension whose chat page is watched for problems. */
const extensionId = 'midcourse.midcourse';

/**
 * Starts a real VS Code (server and browser) that serves any number of windows, each with a fresh browser profile.
 * Its processes and folders end with `close()`, and also when this process dies.
 */
export async function launchEditor(options: EditorOptions = {}): Promise<Editor> {
  const installed = await installEditor((line) => process.stderr.write(`${line}\n`));
  const scope = await LaunchScope.open();
  try {
    const extensions = await scope.makeFolder('extensions');
    await cp(path.join(repository, 'scripts/editor/companion'), path.join(extensions, 'companion'), {
      recursive: true,
    });
    const socketPath = path.join(scope.folder, 'companion.sock');
    const hosts = await Hosts.listen(socketPath);
    const server = await startServer(scope, installed, {
      extensions,
      // Hooks and skills of the person who runs the tests must not take part in them.
      env: { HOME: await scope.makeFolder('home'), ...options.env, MIDCOURSE_COMPANION: socketPath },
      workspaceTrust: options.untrusted ?? false,
      machineSettings: options.machineSettings ?? {},
      vsix: options.vsix === undefined ? [] : [options.vsix],
    });
    const developed = options.vsix === undefined && !options.none ? [options.extension ?? repository] : [];
    return new Editor(scope, server, await startBrowser(scope), hosts, developed);
  } catch (error) {
    await scope.close();
    throw error;
  }
}

export class Editor {
  readonly #scope: LaunchScope;
  readonly #server: EditorServer;
  readonly #browser: Browser;
  readonly #hosts: Hosts;
  readonly #developed: readonly string[];
  readonly #windows = new Set<EditorWindow>();
  readonly #taken = new Set<Host>();

  constructor(scope: LaunchScope, server: EditorServer, browser: Browser, hosts: Hosts, developed: readonly string[]) {
    this.#scope = scope;
    this.#server = server;
    this.#browser = browser;
    this.#hosts = hosts;
    this.#developed = developed;
  }

  get origin(): string {
    return this.#server.origin;
  }

  /** Settings, sessions and logs of the server. */
  get serverData(): string {
    return this.#server.serverData;
  }

  url(folder?: string): string {
    return windowAddress({ origin: this.origin, folder, extensions: this.#developed });
  }

  /** Opens a window in a browser profile of its own and waits until its extension host has started. */
  async open({ folder, browser = {} }: WindowOptions = {}): Promise<EditorWindow> {
    const viewport = { width: 1280, height: 800 };
    const context = await this.#browser.newContext({ viewport, ...browser });
    const window = await EditorWindow.open(context, this.url(folder), folder, this.#hosts, this.#taken, extensionId);
    this.#windows.add(window);
    return window;
  }

  /** A folder that goes with the editor. */
  makeFolder(...names: readonly string[]): Promise<string> {
    return this.#scope.makeFolder('workspaces', ...names);
  }

  /** A fresh copy of a folder (default: the sample workspace) to work in. */
  async copyWorkspace(name: string, from = path.join(repository, 'samples/ts-starter')): Promise<string> {
    const folder = await this.makeFolder(name);
    await cp(from, folder, { recursive: true });
    return folder;
  }

  /** Changes machine settings while the editor runs; undefined removes one. Windows follow by themselves. */
  async setMachineSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const file = machineSettingsFile(this.serverData);
    const present = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...present, ...settings }, undefined, 2));
  }

  async close(): Promise<void> {
    for (const window of this.#windows) await window.close();
    await this.#browser.close();
    this.#hosts.close();
    await this.#scope.close();
  }
}
