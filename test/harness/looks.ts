import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/places.ts';
import type { EditorWindow } from './window.ts';

export const themes = {
  light: 'Default Light Modern',
  dark: 'Default Dark Modern',
  'high-contrast': 'Default High Contrast',
} as const;

export type Look = keyof typeof themes;

/** Switches the colour theme and waits until the workbench shows it. */
export async function setLook(window: EditorWindow, look: Look): Promise<void> {
  await window.run(
    (vscode, theme) =>
      vscode.workspace.getConfiguration('workbench').update('colorTheme', theme, vscode.ConfigurationTarget.Global),
    themes[look],
  );
  const kind = { light: 'vs', dark: 'vs-dark', 'high-contrast': 'hc-black' }[look];
  await window.page.locator(`.monaco-workbench.${kind}`).waitFor();
}

/** Drags the edge of the secondary side bar until the chat has this width in CSS pixels (give or take one). */
export async function setChatWidth(window: EditorWindow, width: number): Promise<void> {
  const box = await window.page.locator('.part.auxiliarybar').boundingBox();
  if (!box) throw new Error('The secondary side bar is not visible: open the chat first.');
  const middle = box.y + box.height / 2;
  await window.page.mouse.move(box.x, middle);
  await window.page.mouse.down();
  await window.page.mouse.move(box.x + box.width - width, middle, { steps: 8 });
  await window.page.mouse.up();
}

/** Saves a picture of the whole window under test-results/ and returns its path. */
export async function takePicture(window: EditorWindow, name: string): Promise<string> {
  const file = path.join(repository, 'test-results', `${name}.png`);
  await mkdir(path.dirname(file), { recursive: true });
  await window.page.screenshot({ path: file });
  return file;
}
