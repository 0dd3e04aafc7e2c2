import { takePicture } from '../harness/index.ts';
import { closeSharedEditor } from '../harness/shared-editor.ts';
import { Stage } from './stage.ts';

/** A failed case leaves pictures of its windows; the editor that the cases share ends with the run. */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    const name = `failed-${test.fullTitle().replace(/[^\w]+/g, '-')}`.slice(0, 120);
    for (const { window } of Stage.open) await takePicture(window, name);
  },
  async afterAll(): Promise<void> {
    await closeSharedEditor();
  },
};
