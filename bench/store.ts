/** The session store by itself, without an editor. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/agent/session/index.ts';
import type { TranscriptRow } from '../src/api.ts';
import type { Figure } from './figure.ts';

const ROWS = 10_000;

export function storeFigures(): readonly Figure[] {
  const folder = mkdtempSync(join(tmpdir(), 'midcourse-bench-'));
  try {
    const opened: number[] = [];
    for (let run = 0; run < 6; run++) opened.push(timed(() => openStore(folder).store.close()));
    const { store } = openStore(folder);
    store.create({ id: 's', title: '', titleSource: 'derived', createdAt: 0, updatedAt: 0 });
    const commits = Array.from({ length: ROWS }, (_, n) =>
      timed(() => store.commit({ sessionId: 's', rows: [row(n + 1)] })),
    );
    const reads = repeat(11, () => store.rows('s', { limit: 100 })).slice(1);
    const wholeReads = repeat(5, () => store.rows('s'));
    const firstSearch = timed(() => store.search('word 77', 20));
    const searches = repeat(11, () => store.search('word 77', 20)).slice(1);
    store.close();
    return [
      { name: 'store: commit of one row', unit: 'ms', samples: commits, aim: 0.3, references: [] },
      { name: 'store: open', unit: 'ms', samples: opened.slice(1), references: [] },
      { name: 'store: last 100 of 10,000 rows', unit: 'ms', samples: reads, references: [] },
      { name: 'store: all 10,000 rows', unit: 'ms', samples: wholeReads, references: [] },
      {
        name: 'store: search of 10,000 rows',
        unit: 'ms',
        samples: searches,
        references: [],
        note: `the first, which indexes them: ${firstSearch.toFixed(0)} ms`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(seq: number): TranscriptRow {
  const text = `Row ${seq} with a word or two. `.repeat(20);
  const [role, kind] = seq % 2 ? (['user', 'message'] as const) : (['assistant', 'text'] as const);
  return { id: `row-${seq}`, seq, turnId: 't', role, kind, parts: [{ type: 'text', text }], displayText: text };
}

function repeat(times: number, work: () => unknown): number[] {
  return Array.from({ length: times }, () => timed(work));
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
