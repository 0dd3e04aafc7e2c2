/** Closes what the last line of a growing text has left open, so that half a mark never flashes up as stars. */
export function heal(tail: string): string {
  const lineStart = tail.lastIndexOf('\n') + 1;
  const line = tail.slice(lineStart);
  const backticks = count(line, /`/g);
  if (backticks % 2 === 1) return /`\s*$/.test(line) ? tail.replace(/`\s*$/, '') : `${tail}\``;
  const outsideCode = line.replace(/`[^`]*`/g, '');
  if (count(outsideCode, /\*\*/g) % 2 === 1) {
    return /\*\*\s*$/.test(line) ? tail.replace(/\*\*\s*$/, '') : `${tail.trimEnd().replace(/\*$/, '')}**`;
  }
  const openLink = /\[([^\][]*)\]\([^)\s]*$/.exec(line);
  if (openLink) return tail.slice(0, lineStart + openLink.index) + (openLink[1] ?? '');
  return tail;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
