/**
 * The pieces of one answer as one text. A line break joins two that both have words at the seam: whether a word was cut
 * there is not known. Punctuation that goes on a sentence needs none. Pieces without words are left out.
 */
export function stitch(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece.trim() !== '').reduce(join, '');
}

function join(left: string, right: string): string {
  const touches = left !== '' && /\S$/.test(left) && /^[^\s,.;:!?)\]}…]/.test(right);
  return touches ? `${left}\n${right}` : left + right;
}
