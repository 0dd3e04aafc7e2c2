import type { ProcessLedger } from './process-registry.ts';

/**
 * Records a process that is about to start, so that a later window ends and names it should this one die.
 *
 * @param mark of its environment and of all that it starts
 * @param what for people: `MCP server: node server.js`
 * @returns to be called once nothing of it runs
 */
export type RecordProcess = (mark: string, what: string) => () => void;

/** Characters of a command line that are kept. */
const LONGEST = 300;

export function recordIn(ledger: ProcessLedger): RecordProcess {
  return (mark, what) => {
    // It is known by its mark: it has no number before it starts.
    const root = { pid: 0, mark };
    ledger.started(root, what.slice(0, LONGEST));
    return () => ledger.ended(root);
  };
}
