import { explore } from './explore.ts';
import { replayTo } from './schedule.ts';
import { type Alphabet, start, type World } from './world.ts';

/** Raise it for a longer look: each further event makes about four times as many states. */
const DEEPER = Number(process.env.MIDCOURSE_SIM_DEEPER ?? 0);

/** Where a search begins, and how many events it follows; every order of them is tried. */
const SEARCHES: readonly {
  readonly from: string;
  readonly way: readonly string[];
  readonly depth: number;
  readonly reviews?: boolean;
}[] = [
  { from: 'an idle session', way: [], depth: 8 },
  { from: 'a model at work', way: ['send a', 'hooks allow'], depth: 6 },
  { from: 'two calls at once', way: ['send a', 'hooks allow', 'answer with two calls at once'], depth: 5 },
  {
    from: 'an approval beside a running call',
    way: ['send a', 'hooks allow', 'answer with two calls at once', 'clear 0', 'approval 1'],
    depth: 5,
  },
  {
    from: 'a stop that waits for a call',
    way: ['send a', 'hooks allow', 'answer with one call', 'clear 0', 'queue b', 'stop'],
    depth: 5,
  },
  {
    from: 'the last redirect of a request',
    way: [
      'send a',
      'hooks allow',
      'redirect b',
      'hooks allow',
      'the tick ends',
      'redirect c',
      'hooks allow',
      'the tick ends',
      'redirect d',
      'hooks allow',
      'the tick ends',
    ],
    depth: 5,
  },
  {
    from: 'an agent at work beside another call',
    way: ['send a', 'hooks allow', 'answer with two calls at once', 'clear 0', 'clear 1', 'an agent starts'],
    depth: 5,
  },
  {
    from: 'a review at work',
    way: ['send a', 'hooks allow', 'answer', 'end work is done'],
    depth: 5,
    reviews: true,
  },
  {
    from: 'an answer that was cut and goes on',
    way: ['send a', 'hooks allow', 'answer is cut and goes on'],
    depth: 4,
  },
  {
    from: 'a turn that has one request left',
    way: ['send a', 'hooks allow', 'answer with one call', 'clear 0', 'finish 0'],
    depth: 5,
  },
  {
    from: 'a compaction',
    way: ['send a', 'hooks allow', 'compaction first', 'steer b'],
    depth: 5,
  },
];

describe('every order of events', () => {
  for (const { from, way, depth, reviews = false } of SEARCHES) {
    it(`up to ${depth + DEEPER} from ${from} keeps every invariant`, function () {
      this.timeout(600_000);
      const first: World = replayTo(start(2, { reviews }), way);
      const used = first.ledger.receipts.size;
      const alphabet: Alphabet = { ids: ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, Math.max(3, used + 2)), full: false };
      const since = performance.now();
      const { states, steps, depth: reached } = explore(first, alphabet, depth + DEEPER);
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      console.log(`      ${states} distinct states, ${steps} steps, depth ${reached}, ${seconds} s`);
    });
  }
});
