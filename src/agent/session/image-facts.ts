/** What the first bytes of an image say of it: the four kinds that every model with eyes takes, and its size. */

export type ImageMime = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageFacts {
  readonly mime: ImageMime;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Undefined when it is none of them, or is cut off before its size. What a file calls itself is not believed. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facts = png(view) ?? gif(view) ?? webp(view) ?? jpeg(view);
  return facts && facts.width > 0 && facts.height > 0 ? facts : undefined;
}

function png(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 24 || view.getUint32(0) !== 0x89504e47 || tag(view, 12) !== 'IHDR') return undefined;
  return { mime: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 10 || tag(view, 0) !== 'GIF8') return undefined;
  return { mime: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webp(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 30 || tag(view, 0) !== 'RIFF' || tag(view, 8) !== 'WEBP') return undefined;
  const mime = 'image/webp';
  switch (tag(view, 12)) {
    case 'VP8 ':
      return { mime, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { mime, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { mime, width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

/** Its size stands in the first frame header, behind any number of other segments. */
function jpeg(view: DataView): ImageFacts | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (isFrameHeader(marker)) {
      return { mime: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    // Fill bytes before a marker have no length of their own.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function tag(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));
}
