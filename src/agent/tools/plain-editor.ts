import type { DiagnosticsAnswer, EditorPort } from './types.ts';

/** An editor that is none: files only, no buffers, no language services. */
export class PlainEditorPort implements EditorPort {
  unsaved(_path: string): string | undefined {
    return undefined;
  }

  async snapshotDiagnostics(): Promise<void> {}

  async diagnostics(_paths: readonly string[]): Promise<DiagnosticsAnswer> {
    return { checked: false, why: 'there is no editor with language services' };
  }
}
