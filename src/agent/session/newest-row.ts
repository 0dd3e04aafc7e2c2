import type { TranscriptRow } from '../../api.ts';

/** Rows that are read at once. */
const PIECE = 200;

/**
 * The newest row of a transcript that `matches`. It is read in pieces from its end, so whoever looks for a late row does
 * not make the host read the whole of a long conversation.
 *
 * @param read gives the last `limit` rows before that sequence number, in order
 */
export function newestRow(
  read: (range: { readonly before?: number; readonly limit: number }) => readonly TranscriptRow[],
  matches: (row: TranscriptRow) => boolean,
): TranscriptRow | undefined {
  for (let piece = read({ limit: PIECE }); ; ) {
    const found = piece.findLast(matches);
    const [oldest] = piece;
    if (found || !oldest || piece.length < PIECE) return found;
    piece = read({ before: oldest.seq, limit: PIECE });
  }
}
