import { isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from 'vscode-languageclient/node';
import type { DeclaredLanguageServer, LanguageServerDefinition } from '../../agent/language-servers/index.ts';
import { ServerProcess } from '../../agent/language-servers/server-process.ts';
import { MaskedStream } from '../../agent/safety/index.ts';
import type { RecordProcess } from '../../agent/tools/index.ts';
import { languageOf } from './language-server.ts';
import { withVariables } from './variables.ts';

export interface OpenClient {
  readonly process: ServerProcess;
  /** Asks the server to end, for a bounded time, and ends it with its tree. Never rejects. */
  close(): Promise<void>;
}

export interface ClientNeeds {
  readonly environment: NodeJS.ProcessEnv;
  readonly record: RecordProcess;
  readonly channel: vscode.LogOutputChannel;
  readonly signal: AbortSignal;
  /** It has ended, without `close`. */
  onGone(process: ServerProcess): void;
}

/** @throws Error in words when it does not start within its time; nothing is left running then */
export async function openClient(declared: DeclaredLanguageServer, needs: ClientNeeds): Promise<OpenClient> {
  if (!declared.definition) throw new Error(declared.broken ?? '');
  const definition = withVariables(declared.definition, declared);
  const deadline = AbortSignal.timeout(definition.startupTimeout);
  const signal = AbortSignal.any([needs.signal, deadline]);
  const folder = join(definition.workspaceFolder ?? declared.folder);
  const said = new MaskedStream();
  const show = (text: string) => text !== '' && needs.channel.info(text.trimEnd());
  const process = await ServerProcess.start(
    {
      command: definition.command,
      args: definition.args,
      cwd: isAbsolute(folder) ? folder : join(declared.folder, folder),
      env: { ...needs.environment, ...declared.variables, ...definition.env },
      transport: definition.transport,
      record: needs.record,
      onSaid: (text) => show(said.push(text)),
    },
    signal,
  );
  void process.ended.then(() => show(said.end()));
  const client = newClient(declared, definition, process, needs.channel);
  try {
    // With the internal ones, whose names begin with `_`: those collide as well.
    leaveTakenCommands(client, new Set(await vscode.commands.getCommands(false)));
    await unlessOver(client.start(), process, signal);
  } catch (error) {
    const how = await endOf(process);
    await process.end();
    await client.dispose().catch(() => undefined);
    if (how !== undefined) throw new Error(vscode.l10n.t('The server has ended: {0}.', how));
    if (!deadline.aborted) throw error;
    throw new Error(
      vscode.l10n.t('The server did not finish its start within {0} s.', definition.startupTimeout / 1000),
    );
  }
  let closed = false;
  void process.ended.then(() => closed || needs.onGone(process));
  if (definition.settings !== undefined) {
    await client.sendNotification('workspace/didChangeConfiguration', { settings: definition.settings });
  }
  return {
    process,
    async close() {
      closed = true;
      // One that does not answer, or is gone, is ended below.
      await client.dispose(definition.shutdownTimeout).catch(() => undefined);
      await process.end();
    },
  };
}

function newClient(
  declared: DeclaredLanguageServer,
  definition: LanguageServerDefinition,
  { reader, writer }: ServerProcess,
  outputChannel: vscode.LogOutputChannel,
): LanguageClient {
  const client = new LanguageClient(`midcourse.${declared.name}`, declared.name, async () => ({ reader, writer }), {
    documentSelector: Object.keys(definition.languages).map((ending) => ({ scheme: 'file', pattern: `**/*${ending}` })),
    initializationOptions: definition.initializationOptions,
    outputChannel,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    // Restarts are ours; nothing pops up.
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    initializationFailedHandler: () => false,
    middleware: {
      workspace: {
        configuration: (params, token, next) =>
          definition.settings === undefined
            ? next(params, token)
            : params.items.map(({ section }) => settingAt(definition.settings, section)),
      },
    },
  });
  const converter = client.code2ProtocolConverter;
  const original = converter.asOpenTextDocumentParams.bind(converter);
  // The server knows the language by the id of its declaration; the editor may have none for it.
  converter.asOpenTextDocumentParams = (document) => {
    const params = original(document);
    const languageId = languageOf(declared, document.uri.fsPath) ?? params.textDocument.languageId;
    return { ...params, textDocument: { ...params.textDocument, languageId } };
  };
  return client;
}

/** Servers offer commands under names of their own choice; one that an extension has already would end the start. */
function leaveTakenCommands(client: LanguageClient, taken: ReadonlySet<string>): void {
  const feature = client.getFeature('workspace/executeCommand');
  const register = feature.register.bind(feature);
  feature.register = (data) => {
    const commands = data.registerOptions.commands.filter((command) => !taken.has(command));
    register({ ...data, registerOptions: { ...data.registerOptions, commands } });
  };
}

function settingAt(settings: unknown, section: string | undefined): unknown {
  const path = section === undefined || section === '' ? [] : section.split('.');
  return (
    path.reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], settings) ?? null
  );
}

/** How it ended by itself; undefined when it still runs. A broken pipe is seen a moment before the end that broke it. */
async function endOf({ ended }: ServerProcess): Promise<string | undefined> {
  const { promise: runs, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, 200, undefined);
  const how = await Promise.race([ended, runs]);
  clearTimeout(timer);
  return how;
}

/** Rejects when the process has ended, or `signal` aborts, before the start is done. */
async function unlessOver(start: Promise<void>, process: ServerProcess, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<never>();
  const abort = () => over.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  void process.ended.then((how) => over.reject(new Error(vscode.l10n.t('The server has ended: {0}.', how))));
  start.catch(() => undefined);
  over.promise.catch(() => undefined);
  try {
    await Promise.race([start, over.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
