/** Opens the store of the folder argv[2], tries to write, and prints what happened as JSON. */

import { openStore, StorageError } from '../../../../src/agent/session/index.ts';
import { row, session } from '../builders.ts';

function attempt(work: () => void): { kind: string; message: string } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof StorageError) return { kind: error.kind, message: error.message };
    throw error;
  }
}

const report: Record<string, unknown> = {};
report.opening = attempt(() => {
  const { store, notice } = openStore(process.argv[2] ?? '');
  report.notice = notice?.kind;
  report.sessions = store.list().length;
  report.writing = attempt(() => {
    for (let seq = 1; seq <= 200; seq++) {
      if (seq === 1) store.create(session('new'));
      store.commit({ sessionId: 'new', rows: [row(seq, 'text '.repeat(2_000))] });
      report.written = seq;
    }
  });
  report.readable = store.rows('new').length;
});
process.stdout.write(JSON.stringify(report));
