/**
 * A regular expression that was written for another program; a string says why it is none. Python and Rust put flags in
 * front of it, JavaScript beside it.
 */
export function expressionOf(text: string, matching: 'whole' | 'part'): RegExp | string {
  const [, insensitive, source = ''] = /^(\(\?i\))?(.*)$/s.exec(text) ?? [];
  try {
    return new RegExp(matching === 'whole' ? `^(?:${source})$` : source, insensitive ? 'i' : '');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
