import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from './editor/places.ts';
import { describeFailure, run } from './editor/run.ts';
import { serveEditor } from './start/serve.ts';
import { userPlace } from './start/user-place.ts';

const usage = `Usage: npm start -- [--folder PATH] [--port N] [--desktop]
  --folder PATH  open this folder instead of a fresh copy of the sample workspace
  --port N       serve the editor at this port of 127.0.0.1
  --desktop      open the installed VS Code ("code" on PATH) instead of serving one`;

/** Progress goes to standard error: standard output holds the one line that says where the editor is. */
const say = (line: string) => process.stderr.write(`${line}\n`);

try {
  process.exitCode = await start();
} catch (error) {
  say(describeFailure(error));
  process.exitCode = 1;
}

async function start(): Promise<number> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string' },
      port: { type: 'string' },
      desktop: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(usage);
    return 0;
  }
  const port = values.port === undefined ? undefined : portNumber(values.port);
  // npm runs this in the checkout; INIT_CWD is where the user typed the path.
  const folder = values.folder === undefined ? undefined : path.resolve(process.env.INIT_CWD ?? '.', values.folder);
  if (folder !== undefined && !(await isFolder(folder))) throw new Error(`${folder} is not a folder.`);

  const stop = stopSignal();
  try {
    return await bringUp({ desktop: values.desktop, folder, port, stop });
  } catch (error) {
    // What was cut off by the user has not failed.
    if (stop.aborted) return 0;
    throw error;
  }
}

interface Wish {
  readonly desktop: boolean;
  readonly folder: string | undefined;
  readonly port: number | undefined;
  readonly stop: AbortSignal;
}

async function bringUp({ desktop, folder, port, stop }: Wish): Promise<number> {
  say('Building the extension');
  await run(process.execPath, ['esbuild.mjs'], { cwd: repository, signal: stop });
  const place = await userPlace();
  try {
    const workspace = folder ?? (await place.freshSample());
    if (desktop) return await openDesktop(workspace, stop);
    await serveEditor({ workspace, port, place, stop, say, ready: (address) => console.log(`ready ${address}`) });
    return 0;
  } finally {
    await place.release();
  }
}

/** Aborted by Ctrl+C and SIGTERM, by the terminal that goes away, and by the end of the npm that started this. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => controller.abort());
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) controller.abort();
  }, 500).unref();
  return controller.signal;
}

/** Stays until the window is closed (`--wait`), as the served editor stays until Ctrl+C. */
async function openDesktop(workspace: string, stop: AbortSignal): Promise<number> {
  const developed = [repository, path.join(repository, 'scripts/editor/companion')];
  const args = [
    ...developed.map((folder) => `--extensionDevelopmentPath=${folder}`),
    '--new-window',
    '--wait',
    workspace,
  ];
  const code = spawn(process.env.MIDCOURSE_CODE ?? 'code', args, {
    stdio: 'inherit',
    env: { ...process.env, MIDCOURSE_OPEN: 'midcourse.focusChat' },
    shell: process.platform === 'win32',
  });
  stop.addEventListener('abort', () => code.kill());
  const failed = once(code, 'error').then(([error]: unknown[]) => {
    throw new Error(
      `VS Code did not start (${String(error)}). Is "code" on PATH? Without --desktop no installed VS Code is needed.`,
    );
  });
  const exited = once(code, 'exit').then(([status]: unknown[]) => (typeof status === 'number' ? status : 0));
  return Promise.race([exited, failed]);
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--port ${text}: a port is a number from 1 to 65535.`);
  return port;
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch {
    return false; // Not there or not readable: nothing that could be opened.
  }
}
