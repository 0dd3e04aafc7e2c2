import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { InstalledEditor } from './install.ts';
import type { LaunchScope } from './launch-scope.ts';
import { run } from './run.ts';

export interface ServerOptions {
  /** A fixed port; without it a free one. */
  readonly port?: number;
  /** Where the server keeps settings, sessions and logs. Without it a folder that goes with the launch. */
  readonly serverData?: string;
  readonly extensions?: string;
  /** Ask whether a folder is trusted, and treat it as untrusted until then. Without it every folder is trusted. */
  readonly workspaceTrust?: boolean;
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** VSIX files to install for real. */
  readonly vsix?: readonly string[];
}

export interface EditorServer {
  /** http://127.0.0.1:port */
  readonly origin: string;
  readonly serverData: string;
  readonly extensions: string;
  /** Settles when the server process ends, whoever ended it. */
  readonly ended: Promise<void>;
}

/** The built-in agent would sit in front of ours, and start-up pages in front of the code. */
const quiet: Readonly<Record<string, unknown>> = {
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.tips.enabled': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'git.openRepositoryInParentFolders': 'never',
};

/** Starts VS Code's server in the scope and waits until it listens. Throws with the end of its output when it ends before. */
export async function startServer(
  scope: LaunchScope,
  editor: InstalledEditor,
  options: ServerOptions = {},
): Promise<EditorServer> {
  const serverData = options.serverData ?? (await scope.makeFolder('server'));
  const extensions = options.extensions ?? (await scope.makeFolder('extensions'));
  await writeFirstMachineSettings(serverData, { ...quiet, ...options.machineSettings });
  for (const vsix of options.vsix ?? []) await installVsix(editor, vsix, extensions, serverData, scope);

  const args = [
    ...[editor.serverMain, '--host', '127.0.0.1', '--port', String(options.port ?? 0), '--without-connection-token'],
    ...['--accept-server-license-terms', '--disable-telemetry', '--telemetry-level', 'off'],
    ...['--server-data-dir', serverData, '--extensions-dir', extensions],
    // Without it a built workbench ignores the payload in the address, so no extension under development.
    '--enable-smoke-test-driver',
    // A window that went without saying so would keep its extension host for hours.
    ...['--reconnection-grace-time', '60'],
    ...(options.workspaceTrust ? [] : ['--disable-workspace-trust']),
  ];
  const child = scope.spawn(editor.node, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.env && { env: options.env }),
  });
  const log = createWriteStream(path.join(serverData, 'server.log'), { flags: 'a' });
  child.stderr?.pipe(log, { end: false });
  const ended = once(child, 'exit').then(() => {
    log.end();
  });

  const lines: string[] = [];
  const listening = new Promise<number>((resolve) => {
    if (!child.stdout) return;
    createInterface(child.stdout).on('line', (line) => {
      log.write(`${line}\n`);
      lines.push(line);
      const port = /Server bound to 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port) resolve(Number(port));
    });
  });
  const port = await Promise.race([listening, ended]);
  if (port === undefined) throw new Error(`VS Code's server ended before it listened:\n${lines.slice(-20).join('\n')}`);
  return { origin: `http://127.0.0.1:${port}`, serverData, extensions, ended };
}

/** Where the server reads machine settings from; it follows changes of the file. */
export function machineSettingsFile(serverData: string): string {
  return path.join(serverData, 'data/Machine/settings.json');
}

/** Only where there are none: in `npm start` the file holds what the user has chosen since. */
async function writeFirstMachineSettings(
  serverData: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const file = machineSettingsFile(serverData);
  await mkdir(path.dirname(file), { recursive: true });
  if (!existsSync(file)) await writeFile(file, JSON.stringify(settings, undefined, 2));
}

async function installVsix(
  editor: InstalledEditor,
  vsix: string,
  extensions: string,
  serverData: string,
  scope: LaunchScope,
) {
  const args = [
    editor.serverMain,
    '--install-extension',
    vsix,
    '--extensions-dir',
    extensions,
    '--server-data-dir',
    serverData,
  ];
  await run(editor.node, args, { env: scope.environment() });
}
