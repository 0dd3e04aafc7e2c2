/** Bytes and texts. What the bytes say (a byte-order mark) counts before what settings say of the file. */

/** An encoding that a setting names. */
export interface NamedEncoding {
  /** As its setting has it: `windows1252`. */
  readonly name: string;
  /** Without byte-order mark. */
  decode(bytes: Uint8Array): Promise<string> | string;
  /** What the encoding does not have becomes another character. */
  encode(text: string): Promise<Uint8Array> | Uint8Array;
}

export type Encoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be' | NamedEncoding;

export interface DecodedText {
  /** Without byte-order mark, line ends as they are. */
  readonly text: string;
  readonly encoding: Encoding;
  /** False when bytes did not fit the encoding: writing the text back would damage the file. */
  readonly faithful: boolean;
}

/** ISO 8859-1, which every byte fits. */
export const LATIN1: NamedEncoding = {
  name: 'latin1',
  decode: (bytes) => Buffer.from(bytes).toString('latin1'),
  encode: (text) => Buffer.from(text, 'latin1'),
};

/**
 * The text, or undefined for bytes that are none.
 *
 * @param named what settings say of the file; undefined for UTF-8
 */
export async function decode(bytes: Uint8Array, named?: NamedEncoding): Promise<DecodedText | undefined> {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', 'utf16le', bytes.subarray(2));
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', 'utf16be', bytes.subarray(2));
  if (first === 0xef && second === 0xbb && third === 0xbf) return decodeAs('utf-8', 'utf8-bom', bytes.subarray(3));
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  if (!named) return decodeAs('utf-8', 'utf8', bytes);
  const text = await named.decode(bytes);
  const faithful = Buffer.from(await named.encode(text)).equals(bytes);
  return { text, encoding: named, faithful };
}

function decodeAs(label: string, encoding: Encoding, bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes), encoding, faithful: true };
  } catch {
    // Not thrown on purpose: a file in an old encoding can be read, with replacement characters, but not written.
    return { text: new TextDecoder(label, { ignoreBOM: true }).decode(bytes), encoding, faithful: false };
  }
}

export async function encode(text: string, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text);
    case 'utf8-bom':
      return Buffer.from(`\ufeff${text}`);
    case 'utf16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    default:
      return Buffer.from(await encoding.encode(text));
  }
}

/** For people and models: `UTF-8`, `windows1252`. */
export function encodingName(encoding: Encoding): string {
  return typeof encoding === 'string' ? 'UTF-8' : encoding.name;
}

/** The first characters of a text that its encoding does not have; empty when it has all. */
export async function missingIn(text: string, encoding: Encoding): Promise<readonly string[]> {
  if (typeof encoding === 'string') return [];
  const back = [...(await encoding.decode(await encoding.encode(text)))];
  return [...new Set([...text].filter((character, at) => back[at] !== character))].slice(0, 5);
}
