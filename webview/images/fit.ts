/** What has to be done to an image before a model takes it. */

export interface Limits {
  /** Pixels of the longer side. */
  readonly longestEdge: number;
  readonly bytes: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Kinds that every model with eyes takes as they are. */
export const sentKinds: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** While the model in use has not said what it takes. */
export const cautiousLimits: Limits = { longestEdge: 1568, bytes: 3_700_000 };

/** Bytes of a file above which it is not even looked at: its pixels would fill the page's memory. */
export const mostBytes = 50_000_000;

export function fits(size: Size, bytes: number, limits: Limits): boolean {
  return Math.max(size.width, size.height) <= limits.longestEdge && bytes <= limits.bytes;
}

/** The size with its longer side at most `longestEdge`, its shape kept; never larger, never less than a pixel. */
export function shrunk({ width, height }: Size, longestEdge: number): Size {
  const scale = Math.min(1, longestEdge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** The file's name with the ending of another kind: `photo.heic` → `photo.png`. */
export function renamed(name: string, mime: string): string {
  const ending = mime === 'image/jpeg' ? 'jpg' : mime.slice(mime.indexOf('/') + 1);
  const base = name.replace(/\.[^.]*$/, '') || 'image';
  return `${base}.${ending}`;
}
