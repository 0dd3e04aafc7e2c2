import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Core } from './core.ts';

const sample = 'ts-starter';
const model = 'practice/rehearsal';
/** In global memory: the folder whose next window begins with a practice session. */
const pendingKey = 'midcourse.practiceFolder';

/** A session with the scripted model: here when this window shows the sample, otherwise in a window with a fresh copy. */
export async function startPractice(core: Core): Promise<void> {
  if (await showsSample(core)) return begin(core);
  const folder = join(core.context.globalStorageUri.fsPath, 'practice', sample);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(core.context.extensionPath, 'samples', sample), folder, { recursive: true });
  await core.context.globalState.update(pendingKey, folder);
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), {
    forceNewWindow: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
  });
}

/** Goes on where `startPractice` of another window left off. */
export async function continuePractice(context: vscode.ExtensionContext, open: () => Promise<Core>): Promise<void> {
  const pending = context.globalState.get<string>(pendingKey);
  if (pending === undefined || vscode.workspace.workspaceFolders?.[0]?.uri.fsPath !== pending) return;
  await context.globalState.update(pendingKey, undefined);
  await begin(await open());
}

async function begin(core: Core): Promise<void> {
  core.sessions.show(core.sessions.create({ model }));
  await vscode.commands.executeCommand('midcourse.focusChat');
}

const manifest = z.object({ name: z.literal(sample) });

async function showsSample(core: Core): Promise<boolean> {
  const [folder] = core.workspace.facts().folders;
  if (folder === undefined) return false;
  try {
    return manifest.safeParse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).success;
  } catch {
    // No package.json, or none that can be read: another folder.
    return false;
  }
}
