import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
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

/** Drags the edge of the secondary side bar until the chat's page has this width in CSS pixels. Throws when it does not get there. */
export async function setChatWidth(window: EditorWindow, width: number): Promise<void> {
  const chat = window.page.locator('iframe.webview.ready');
  const bar = await boxOf(window.page.locator('.part.auxiliarybar'));
  const present = await boxOf(chat);
  // The sash is the strip just outside the bar.
  const [x, y] = [bar.x - 2, bar.y + bar.height / 2];
  await window.page.mouse.move(x, y);
  await window.page.mouse.down();
  await window.page.mouse.move(x + present.width - width, y, { steps: 8 });
  await window.page.mouse.up();
  // Off the sash, which would stay highlighted in pictures.
  await window.page.mouse.move(x / 2, y);
  const reached = await boxOf(chat);
  if (Math.abs(reached.width - width) > 1) throw new Error(`The chat is ${reached.width} px wide, not ${width}.`);
}

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error('The secondary side bar is not visible: open the chat first.');
  return box;
}

/** Saves a picture of the whole window under test-results/ and returns its path. */
export async function takePicture(window: EditorWindow, name: string): Promise<string> {
  const file = path.join(repository, 'test-results', `${name}.png`);
  await mkdir(path.dirname(file), { recursive: true });
  await window.page.screenshot({ path: file });
  return file;
}
