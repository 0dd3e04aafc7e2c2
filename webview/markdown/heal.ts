/**
 * Closes what the last line of a growing text has left open, so that half a mark never flashes up as stars. Takes time in
 * proportion to the text.
 */
export function heal(tail: string): string {
  const line = tail.slice(tail.lastIndexOf('\n') + 1);
  const bare = tail.trimEnd();
  const hasWords = line.trim() !== '';
  const backticks = count(line, /`/g);
  if (backticks % 2 === 1) return hasWords && bare.endsWith('`') ? bare.slice(0, -1) : `${tail}\``;
  const outsideCode = line.replace(/`[^`]*`/g, '');
  if (count(outsideCode, /\*\*/g) % 2 === 1) {
    return hasWords && bare.endsWith('**') ? bare.slice(0, -2) : `${bare.replace(/\*$/, '')}**`;
  }
  const at = line.lastIndexOf('](');
  const label = line.slice(line.lastIndexOf('[', at) + 1, at);
  if (at < 0 || !line.slice(0, at).includes('[') || label.includes(']') || /[)\s]/.test(line.slice(at + 2)))
    return tail;
  return tail.slice(0, tail.length - line.length + at - label.length - 1) + label;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
