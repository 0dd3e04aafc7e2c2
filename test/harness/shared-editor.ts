import { type Editor, launchEditor } from './editor.ts';

let shared: Promise<Editor> | undefined;

/** The one editor of a test run: the first case that needs it starts it, `test/ui/setup.ts` closes it. */
export function sharedEditor(): Promise<Editor> {
  shared ??= launchEditor();
  return shared;
}

export async function closeSharedEditor(): Promise<void> {
  const editor = await shared;
  shared = undefined;
  await editor?.close();
}
