import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { MidcourseApi, Session, SessionEvent, SessionStateName } from '../../src/api.ts';
import { ModelServer } from '../model-server/index.ts';

export async function midcourse(): Promise<MidcourseApi> {
  const extension = vscode.extensions.getExtension<MidcourseApi>('midcourse.midcourse');
  assert.ok(extension, 'the extension is not installed');
  return extension.activate();
}

/** Absolute path of the window's folder. */
export function workspaceFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the window has no folder');
  return folder.uri.fsPath;
}

/** Writes a user or machine setting of Midcourse; undefined removes it. */
export async function configure(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('midcourse').update(name, value, vscode.ConfigurationTarget.Global);
}

/** A fake model server that the setting `midcourse.model` points to, on either wire. */
export async function serveModel(api: 'openai-chat' | 'anthropic' = 'openai-chat'): Promise<ModelServer> {
  const server = await ModelServer.start();
  await configure('providers', {
    fake: { api, baseUrl: api === 'openai-chat' ? server.openAiBaseUrl : server.origin },
  });
  await configure('model', 'fake/model');
  return server;
}

export async function forgetModel(server: ModelServer | undefined): Promise<void> {
  await configure('model', undefined);
  await configure('providers', undefined);
  await server?.close();
}

/** Resolves with the first event, also of the past, that fits. */
function eventOf<Found extends SessionEvent>(
  session: Session,
  fits: (event: SessionEvent) => event is Found,
  since = 0,
): Promise<Found> {
  const past = session.events(since).find(fits);
  if (past) return Promise.resolve(past);
  return new Promise((resolve) => {
    const subscription = session.onDidEmit((event) => {
      if (!fits(event)) return;
      subscription.dispose();
      resolve(event);
    });
  });
}

export function inState(session: Session, state: SessionStateName): Promise<void> {
  if (session.state === state) return Promise.resolve();
  return new Promise((resolve) => {
    const subscription = session.onDidEmit((event) => {
      if (event.type !== 'state' || event.state !== state) return;
      subscription.dispose();
      resolve();
    });
  });
}

/** Resolves when an approval is open. */
export async function approvalOf(session: Session) {
  await eventOf(
    session,
    (event): event is Extract<SessionEvent, { type: 'approval.opened' }> =>
      event.type === 'approval.opened' && session.approvals().some((approval) => approval.id === event.id),
  );
  const [approval] = session.approvals();
  assert.ok(approval);
  return approval;
}

/** Deterministic polling of a value that nobody announces: asks again with each turn of the event loop. */
export async function until<T>(read: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
