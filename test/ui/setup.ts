import { closeSharedEditor } from '../harness/shared-editor.ts';

/** The editor that the cases share ends with the run. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await closeSharedEditor();
  },
};
