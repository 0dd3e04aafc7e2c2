import { WorkerThread } from '../worker-thread.ts';
import type { Unsure } from './fit.ts';
import { patternLimits } from './limits.ts';

export interface Question {
  readonly source: string;
  readonly flags: string;
}

export type Judged = readonly number[];

/** Unsure because others wait, not because of the pattern. */
export interface Busy extends Unsure {
  readonly busy: true;
}

const thread = new WorkerThread<Question & { readonly texts: readonly string[] }, Judged>(
  'pattern.worker',
  import.meta.url,
  { question: patternLimits.worker, waiting: patternLimits.waiting, memory: 64 },
);

/** The indexes of the texts that the pattern fits, from the one worker. Never rejects. */
export async function askWorker({ source, flags }: Question, texts: readonly string[]): Promise<Judged | Unsure> {
  const answer = await thread.ask({ source, flags, texts });
  if (!('why' in answer)) return answer;
  const unsure = `The pattern ${source.slice(0, 100)} was not judged: ${answer.words}.`;
  switch (answer.why) {
    case 'busy': {
      const busy: Busy = { unsure, busy: true };
      return busy;
    }
    case 'limit':
      return { unsure: `The pattern ${source.slice(0, 100)} took more than ${patternLimits.worker} ms.` };
    case 'failed':
      return { unsure };
    default:
      return answer.why satisfies never;
  }
}
