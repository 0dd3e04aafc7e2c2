/**
 * Pictures of every scene, to look at: `node webview/dev/shoot.ts FOLDER [scene …] [--width N] [--theme NAME]`.
 * Without a width or theme: 400 px in dark and light.
 */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { scenes } from './scenes.ts';
import { Stage, type Theme } from './stage.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { width: { type: 'string', multiple: true }, theme: { type: 'string', multiple: true } },
});
const [folder, ...names] = positionals;
if (folder === undefined) throw new Error('Name the folder for the pictures.');
const widths = (values.width ?? ['400']).map(Number);
const themes = (values.theme ?? ['dark', 'light']) as Theme[];
const wanted = names.length > 0 ? scenes.filter((scene) => names.includes(scene.name)) : scenes;

await mkdir(folder, { recursive: true });
const stage = await Stage.open();
try {
  for (const theme of themes) {
    for (const width of widths) {
      for (const scene of wanted) {
        const chat = await stage.chat({ theme, width });
        await chat.send(...scene.messages());
        await chat.page.waitForFunction(() => document.querySelector('[data-testid=composer]') !== null);
        await scene.act?.(chat);
        // Two frames: one to draw, one for what follows the drawing, such as scrolling to the end.
        await chat.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        await chat.page.screenshot({ path: path.join(folder, `${scene.name}-${width}-${theme}.png`) });
        for (const problem of chat.problems) console.error(`${scene.name}: ${problem}`);
        await chat.page.close();
      }
    }
  }
} finally {
  await stage.close();
}
