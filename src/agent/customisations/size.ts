/** What instructions may take of the model's window. */

/** Bytes of one file. */
export const EACH_BYTES = 32 * 1024;
/** Bytes of all instructions in the system prompt together; the same again for those that are given on the way. */
export const ALL_BYTES = 64 * 1024;

/**
 * The beginning of a text that fits, with a line that says what is missing.
 *
 * @param missing bytes of the file that are not in `text`
 */
export function cutTo(text: string, most: number, missing: number, path: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return missing === 0 ? text : `${text}\n${cutNote(missing, path)}`;
  const kept = new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
  return `${kept}\n${cutNote(missing + bytes.length - most, path)}`;
}

function cutNote(bytes: number, path: string): string {
  return `[Cut here: ${Math.ceil(bytes / 1024)} KB more are in ${path}.]`;
}
