import { type Editor, type EditorOptions, type EditorWindow, launchEditor } from '../test/harness/index.ts';
import type { ModelServerClient, RequestView } from '../test/model-server/index.ts';
import type { Figure } from './figure.ts';
import { ServerProcess } from './model-server.ts';

/** What a measurement in the editor works with: a real VS Code with the packaged extension, and a fake model. */
export interface Rig {
  readonly editor: Editor;
  readonly window: EditorWindow;
  readonly server: ModelServerClient;
}

/** Measures in a fresh window. */
export type Measurement = (rig: Rig) => Promise<readonly Figure[]>;

const MODEL = 'bench/test-model';

/**
 * One editor for all measurements that are given, one window for each.
 * @param what the extension to measure
 * @param report is given the figures of each measurement as soon as they are there
 */
export async function runInEditor(
  what: Pick<EditorOptions, 'vsix' | 'extension'>,
  measurements: readonly Measurement[],
  report: (figures: readonly Figure[]) => void,
): Promise<void> {
  await using process = await ServerProcess.start();
  const server = process.client;
  const editor = await launchEditor({
    ...what,
    machineSettings: machineSettings(server),
    env: { MIDCOURSE_BENCH_KEY: 'bench' },
  });
  try {
    for (const measure of measurements) {
      await server.reset();
      const window = await editor.open({ folder: await editor.makeFolder(measure.name) });
      report(await measure({ editor, window, server }));
      await window.close();
    }
  } finally {
    await editor.close();
  }
}

export function machineSettings(server: ModelServerClient): Readonly<Record<string, unknown>> {
  return {
    'midcourse.model': MODEL,
    'midcourse.providers': {
      bench: {
        api: 'openai-chat',
        baseUrl: server.openAiBaseUrl,
        apiKeyEnv: 'MIDCOURSE_BENCH_KEY',
        models: { 'test-model': { contextWindow: 1_000_000 } },
      },
    },
    // Nothing of the editor's own shall run beside what is measured.
    'telemetry.telemetryLevel': 'off',
    'workbench.startupEditor': 'none',
  };
}

/** The index of the nth request (from 0) that asked a model, whatever else the server was asked; waits for it. */
export async function modelRequest(server: ModelServerClient, nth: number): Promise<number> {
  let seen = 0;
  for (let index = 0; ; index++) {
    const { wire } = await server.wait(index, 'arrived');
    if (wire !== 'openai-chat' && wire !== 'anthropic') continue;
    if (seen === nth) return index;
    seen += 1;
  }
}

/** The nth request (from 0) that asked a model, when its answer is over. */
export async function closedRequest(server: ModelServerClient, nth: number): Promise<RequestView> {
  return server.wait(await modelRequest(server, nth), 'closed');
}

/** All of them, in order. */
export async function modelRequests(server: ModelServerClient): Promise<readonly RequestView[]> {
  return (await server.requests()).filter(({ wire }) => wire === 'openai-chat' || wire === 'anthropic');
}

export function defined<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`Missing: ${what}`);
  return value;
}
