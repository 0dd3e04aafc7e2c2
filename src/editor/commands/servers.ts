import * as vscode from 'vscode';
import * as z from 'zod';
import { heldWords, type McpServer } from '../../agent/mcp/index.ts';
import type { Core } from '../core.ts';
import { consentableLanguageServer, type LanguageServer } from '../language-servers/index.ts';
import { showManageContainer } from '../manage-container.ts';
import { consentableServer, lookOfLanguageServer, lookOfServer } from '../mcp/index.ts';
import { forms, read } from './arguments.ts';
import type { Command } from './command.ts';
import { pick } from './pick.ts';

/** What can be done with MCP servers and language servers. Without a name the user chooses one. */
export const serverCommands = {
  /** Shows the view, unless a script only wants to know. @returns all servers with their states */
  'midcourse.manageMcpServers': async ({ core }, argument) => {
    const { show = true } = read(forms.servers, argument);
    if (show) {
      showManageContainer();
      await vscode.commands.executeCommand('midcourse.mcpServers.focus');
    }
    return await listed(core);
  },

  'midcourse.startMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument, ({ state }) => state.is !== 'running' && state.is !== 'starting');
    return server && (await start(core, server));
  },

  'midcourse.stopMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument, ({ state }) => state.is === 'running' || state.is === 'starting');
    await server?.stop();
    return server !== undefined;
  },

  'midcourse.restartMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument);
    if (!server) return false;
    await server.stop();
    return await start(core, server);
  },

  /**
   * Shows what the server would run, and asks. With the hash of what it would run it is allowed without a question; the
   * hash is refused when the server has changed.
   *
   * @returns true when it is allowed
   */
  'midcourse.allowMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument, ({ declared }) => declared.source.is === 'file');
    const of = server && (await consentableServer(server.declared));
    if (!of) return false;
    const { hash } = read(forms.server, nameOf(argument));
    const allowed = hash === undefined ? await core.trust.review(of) : await core.trust.allow(of, hash);
    await core.servers.mcp.settled();
    return allowed;
  },

  'midcourse.revokeMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument, ({ declared }) => declared.source.is === 'file');
    const of = server && (await consentableServer(server.declared));
    if (of) await core.trust.revoke(of);
    return of !== undefined;
  },

  /** Signs in to a server over HTTP, in the browser. @returns true when it runs then */
  'midcourse.signInMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument, ({ state }) => state.is === 'needs_sign_in');
    if (!server) return false;
    if (server.state.is !== 'needs_sign_in') return await start(core, server);
    await core.servers.signIns.signIn(server.state.url, server.state.challenge);
    return await start(core, server);
  },

  'midcourse.signOutMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument, ({ address }) => address !== undefined);
    const { address } = server ?? {};
    if (address !== undefined) await core.servers.signIns.signOut(address);
    return address !== undefined;
  },

  /** The values that were entered for a server are forgotten; its next start asks for them again. */
  'midcourse.forgetMcpInputs': async ({ core }, argument) => {
    const server = await mcpServer(core, argument, ({ declared }) => declared.inputs.length > 0);
    if (server) await core.servers.entered.forget(server.declared);
    return server !== undefined;
  },

  'midcourse.showMcpServerLog': async ({ core }, argument) => {
    const server = await mcpServer(core, argument);
    if (!server) return;
    const { servers } = core.servers.mcp;
    await core.documents.follow(
      `${server.name}.log`,
      () => server.log,
      (changed) => servers.onDidSay((name) => name === server.name && changed()),
    );
  },

  'midcourse.openMcpServer': async ({ core }, argument) => {
    const server = await mcpServer(core, argument);
    if (server) await openSource(server.declared.source);
  },

  'midcourse.restartLanguageServer': async ({ core }, argument) => {
    const server = await languageServer(core, argument);
    if (!server) return false;
    await server.stop();
    await server.start('user');
    return server.state.is === 'running';
  },

  'midcourse.stopLanguageServer': async ({ core }, argument) => {
    const server = await languageServer(
      core,
      argument,
      ({ state }) => state.is === 'running' || state.is === 'starting',
    );
    await server?.stop();
    return server !== undefined;
  },

  /** As `allowMcpServer`. */
  'midcourse.allowLanguageServer': async ({ core }, argument) => {
    const server = await languageServer(core, argument, ({ declared }) => declared.source.is === 'file');
    const of = server && (await consentableLanguageServer(server.declared));
    if (!of) return false;
    const { hash } = read(forms.server, nameOf(argument));
    const allowed = hash === undefined ? await core.trust.review(of) : await core.trust.allow(of, hash);
    await core.servers.languageServers.settled();
    return allowed;
  },

  'midcourse.revokeLanguageServer': async ({ core }, argument) => {
    const server = await languageServer(core, argument, ({ declared }) => declared.source.is === 'file');
    const of = server && (await consentableLanguageServer(server.declared));
    if (of) await core.trust.revoke(of);
    return of !== undefined;
  },

  'midcourse.showLanguageServerLog': async ({ core }, argument) => (await languageServer(core, argument))?.showLog(),

  'midcourse.openLanguageServer': async ({ core }, argument) => {
    const server = await languageServer(core, argument);
    if (server) await openSource(server.declared.source);
  },
} satisfies Record<string, Command>;

/** Starts it, after the user's consent where that is missing. @returns true when it runs */
async function start(core: Core, server: McpServer): Promise<boolean> {
  const run = await core.servers.mcp.mayRun(server.declared);
  if ((run.is === 'waiting' || run.is === 'changed') && !(await core.servers.mcp.review(server))) return false;
  try {
    await server.start('user');
    return true;
  } catch (error) {
    void tellFailure(server, error instanceof Error ? error.message : String(error));
    return false;
  }
}

async function tellFailure(server: McpServer, words: string): Promise<void> {
  const signIn = server.state.is === 'needs_sign_in';
  const action = signIn ? vscode.l10n.t('Sign In') : vscode.l10n.t('Show log');
  const command = signIn ? 'midcourse.signInMcpServer' : 'midcourse.showMcpServerLog';
  if ((await vscode.window.showErrorMessage(words, action)) !== action) return;
  await vscode.commands.executeCommand(command, { server: server.name });
}

async function mcpServer(
  core: Core,
  argument: unknown,
  fits: (server: McpServer) => boolean = () => true,
): Promise<McpServer | undefined> {
  const { servers } = core.servers.mcp;
  const { server } = read(forms.server, nameOf(argument));
  if (server === undefined) {
    const words = (one: McpServer) => lookOfServer(one).words;
    return await choose(servers.list().filter(fits), vscode.l10n.t('Which MCP server?'), words);
  }
  const found = servers.find(server);
  if (!found) throw new Error(vscode.l10n.t('There is no MCP server {0}.', server));
  return found;
}

async function languageServer(
  core: Core,
  argument: unknown,
  fits: (server: LanguageServer) => boolean = () => true,
): Promise<LanguageServer | undefined> {
  const { languageServers } = core.servers;
  const { server } = read(forms.server, nameOf(argument));
  if (server === undefined) {
    const words = (one: LanguageServer) => lookOfLanguageServer(one).words;
    return await choose(languageServers.list().filter(fits), vscode.l10n.t('Which language server?'), words);
  }
  const found = languageServers.find(server);
  if (!found) throw new Error(vscode.l10n.t('There is no language server {0}.', server));
  return found;
}

async function choose<Server extends { readonly name: string }>(
  servers: readonly Server[],
  title: string,
  words: (server: Server) => string,
): Promise<Server | undefined> {
  const choices = servers.map((server) => ({ label: server.name, description: words(server), value: server }));
  return await pick(choices, { title, none: vscode.l10n.t('There is no server for that.') });
}

/** A line of the view, or what a script gives. */
const node = z.looseObject({ server: z.looseObject({ name: z.string() }) });

function nameOf(argument: unknown): unknown {
  const line = node.safeParse(argument);
  return line.success ? { server: line.data.server.name } : argument;
}

async function openSource(
  source: McpServer['declared']['source'] | LanguageServer['declared']['source'],
): Promise<void> {
  if (source.is === 'settings') {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'midcourse.mcp.servers');
    return;
  }
  const line = 'line' in source && source.line !== undefined ? source.line - 1 : 0;
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(source.path), { selection });
}

async function listed(core: Core) {
  const { mcp, languageServers } = core.servers;
  const mcpServers = mcp.servers.list().map(async ({ name, state, tools, declared }) => {
    const of = await consentableServer(declared);
    const why = state.is === 'failed' ? state.why : state.is === 'held' ? heldWords(state.run) : undefined;
    return {
      kind: 'mcp' as const,
      name,
      state: state.is === 'held' ? state.run.is : state.is,
      tools: tools.map((tool) => tool.name),
      ...(why === undefined ? {} : { why }),
      ...(of === undefined ? {} : { hash: (await core.trust.consents.check(of)).hash }),
    };
  });
  const others = languageServers.list().map(async ({ name, state, declared }) => {
    const of = await consentableLanguageServer(declared);
    return {
      kind: 'language' as const,
      name,
      state: state.is === 'held' ? state.run.is : state.is,
      ...(state.is === 'failed' ? { why: state.why } : {}),
      ...(of === undefined ? {} : { hash: (await core.trust.consents.check(of)).hash }),
    };
  });
  return await Promise.all([...mcpServers, ...others]);
}
