import { once } from 'node:events';
import { createServer } from 'node:net';
import { windowAddress } from '../editor/address.ts';
import { startBrowser } from '../editor/browser.ts';
import { installEditor } from '../editor/install.ts';
import { LaunchScope } from '../editor/launch-scope.ts';
import { repository } from '../editor/places.ts';
import { type EditorServer, startServer } from '../editor/server.ts';
import type { UserPlace } from './user-place.ts';

export interface ServeOptions {
  readonly workspace: string;
  /** Exactly this port; without it the usual one, or a free one when that is taken. */
  readonly port: number | undefined;
  readonly place: UserPlace;
  readonly stop: AbortSignal;
  readonly say: (line: string) => void;
  /** Called once, when the chat at this address can be typed into. */
  readonly ready: (address: string) => void;
}

/** Theme and secrets live in the browser by origin: the same port next time finds them again. */
const usualPort = 8137;

/** Of the two agents in this window the user came for ours. Language models of other extensions stay. */
const machineSettings = { 'chat.disableAIFeatures': true };

/** How long the chat may take to be there before the start counts as failed. */
const patience = 300_000;

/** Serves the editor until `stop` and leaves no process behind. Throws when it does not come up or ends by itself. */
export async function serveEditor(options: ServeOptions): Promise<void> {
  const { workspace, place, stop, say } = options;
  const installed = await installEditor(say, stop);
  const port = await choosePort(options.port);
  const scope = await LaunchScope.open();
  try {
    if (stop.aborted) return;
    const stopped = once(stop, 'abort');
    const { serverData, extensions } = place;
    const env = { MIDCOURSE_OPEN: 'midcourse.focusChat' };
    const server = await startServer(scope, installed, { port, serverData, extensions, env, machineSettings });
    const address = windowAddress({ origin: server.origin, folder: workspace, extensions: [repository] });
    const ended = server.ended.then(() => {
      throw new Error(`VS Code's server ended. Its log: ${server.serverData}/server.log`);
    });
    // Between two races nobody listens for its end.
    ended.catch(() => {});
    say('Waiting for the chat');
    if ((await Promise.race([tryChat(scope, server, address), stopped, ended])) === 'chat works')
      options.ready(address);
    await Promise.race([stopped, ended]);
  } finally {
    await scope.close();
  }
}

/** Opens the address as the user will, and waits until the chat there takes text. */
async function tryChat(scope: LaunchScope, server: EditorServer, address: string): Promise<'chat works'> {
  const browser = await startBrowser(scope);
  try {
    const page = await browser.newPage();
    await page.goto(address, { timeout: patience });
    const composer = page.frameLocator('iframe.webview.ready').frameLocator('iframe').getByTestId('composer');
    const probe = 'Hello';
    await composer.fill(probe, { timeout: patience });
    await composer.fill('');
    // Leaving the page ends its extension host; only a crash would keep it for a reconnection.
    await page.goto('about:blank');
    await scope.ended('--type=extensionHost');
    return 'chat works';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The chat did not come up within ${patience / 1000} s. Logs: ${server.serverData}/data/logs\n${reason}`,
    );
  } finally {
    await browser.close();
  }
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted !== undefined) {
    if (await isFree(wanted)) return wanted;
    throw new Error(`Port ${wanted} is taken. Choose another with --port, or leave it out for a free one.`);
  }
  return (await isFree(usualPort)) ? usualPort : 0;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (free) await new Promise((resolve) => probe.close(resolve));
  return free;
}
