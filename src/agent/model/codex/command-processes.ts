/**
 * The processes of a command that Codex runs. Codex leaves them running when its turn is interrupted, so they are found
 * by what it puts into their environment, and ended here.
 */

import { endTree, findRoot, type Survivor, type TreeRoot } from '../../tools/index.ts';

/** Undefined when nothing of it runs, or where no environment can be read. */
export async function commandRoot(threadId: string, itemId: string): Promise<TreeRoot | undefined> {
  return await findRoot({ CODEX_THREAD_ID: threadId, CODEX_TOOL_CALL_ID: itemId });
}

/** Ends everything that the command started and that still runs. Never rejects; tells what could not be ended. */
export async function endCommand(
  threadId: string,
  itemId: string,
  killSignal: AbortSignal,
): Promise<readonly Survivor[]> {
  try {
    const root = await commandRoot(threadId, itemId);
    return root ? await endTree(root, killSignal) : [];
  } catch (error) {
    // The processes of this machine cannot be listed.
    const why = error instanceof Error ? error.message : String(error);
    return [{ pid: 0, command: `perhaps processes of the command; they cannot be listed (${why})` }];
  }
}
