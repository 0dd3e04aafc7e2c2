import { readFile, stat } from 'node:fs/promises';

/** Bytes. More than people write; to read it would hold up the editor. */
const LARGEST = 1024 * 1024;

/**
 * The text of a file that declares something. A repository can bring a link to anything: what is no ordinary file, such
 * as `/dev/zero`, has no end, and reading a pipe waits for ever.
 *
 * @throws (rejects) an error with its `code` for a file that is not there, or in words for one that is not read
 */
export async function readDeclaration(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error('it is no ordinary file');
  if (found.size > LARGEST) throw new Error(`it has more than ${LARGEST / 1024} KB`);
  return await readFile(path, 'utf8');
}
