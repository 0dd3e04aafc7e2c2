/** What the extension costs before anybody uses it: activation, memory at rest. Each run has windows of its own. */

import { type Editor, type EditorOptions, type EditorWindow, launchEditor } from '../../test/harness/index.ts';
import type { ModelServerClient } from '../../test/model-server/index.ts';
import { type Figure, median } from '../figure.ts';
import { references } from '../references.ts';
import { machineSettings, type Rig } from '../rig.ts';
import { activationTimes, memoryAtRest } from './host-functions.ts';

const RUNS = 5;
const MEMORY_RUNS = 3;
const MEBIBYTE = 1024 * 1024;

/** Loading the code and `activate()`, as VS Code itself notes them. */
export async function activation({ editor }: Rig): Promise<readonly Figure[]> {
  const times: { loading: number; activating: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const window = await editor.open({ folder: await editor.makeFolder('activation', String(run)) });
    times.push(await window.run(activationTimes, 'midcourse.midcourse'));
    await window.close();
  }
  return [
    {
      name: 'activation: code loaded and activate() done',
      unit: 'ms',
      samples: times.map(({ loading, activating }) => loading + activating),
      aim: 40,
      references: references.activation,
      note: `activate() alone ${median(times.map(({ activating }) => activating))} ms`,
    },
  ];
}

/**
 * Memory of the extension host over that of one without Midcourse in the same editor build, after a garbage collection:
 * activated only, and with the chat open.
 */
export async function idleMemory(
  what: Pick<EditorOptions, 'vsix' | 'extension'>,
  server: ModelServerClient,
): Promise<readonly Figure[]> {
  const empty = await measureMemory({ none: true }, server, async () => {});
  const activated = await measureMemory(what, server, async (window) => {
    await window.run((api) =>
      api.extensions
        .getExtension('midcourse.midcourse')
        ?.activate()
        .then(() => null),
    );
  });
  const chatOpen = await measureMemory(what, server, (window) => window.chat.open());
  return [
    {
      name: 'memory of the extension host at rest, over one without Midcourse',
      unit: 'MB',
      samples: activated.map((value) => value - median(empty)),
      aim: 25,
      references: references.idleMemory,
      note: `${median(empty).toFixed(0)} MB without`,
    },
    {
      name: 'the same with the chat open',
      unit: 'MB',
      samples: chatOpen.map((value) => value - median(empty)),
      aim: 25,
      references: references.idleMemory,
    },
  ];
}

/** @returns resident memory in MiB, one for each window */
async function measureMemory(
  what: Pick<EditorOptions, 'none' | 'vsix' | 'extension'>,
  server: ModelServerClient,
  prepare: (window: EditorWindow) => Promise<void>,
): Promise<readonly number[]> {
  const editor: Editor = await launchEditor({
    ...what,
    machineSettings: machineSettings(server),
    env: { MIDCOURSE_BENCH_KEY: 'bench' },
  });
  try {
    const samples: number[] = [];
    for (let run = 0; run < MEMORY_RUNS; run++) {
      const window = await editor.open({ folder: await editor.makeFolder('memory', String(run)) });
      await prepare(window);
      samples.push((await window.run(memoryAtRest)).resident / MEBIBYTE);
      await window.close();
    }
    return samples;
  } finally {
    await editor.close();
  }
}
