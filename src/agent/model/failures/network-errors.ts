import type { ModelErrorKind } from '../types.ts';
import { chainOf } from './causes.ts';

interface Verdict {
  readonly kind: ModelErrorKind;
  /** Where it differs from what the kind says. */
  readonly retryable?: boolean;
  /** Words for people: why there is no connection. */
  readonly why?: string;
  /** The connection stood, and the other side ended it without a word. */
  readonly hungUp?: true;
}

const TIMED_OUT = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

const HUNG_UP = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** The two sides spoke TLS, and something on the way spoiled it. */
const BROKEN_TLS = /^ERR_SSL_.*(ALERT_(INTERNAL_ERROR|BAD_RECORD|CLOSE)|BAD_RECORD_MAC|DECRYPT|DECRYPTION_FAILED)/;

/** Judges what `fetch` threw. After the head of the answer everything but silence is a stream that was cut. */
export function networkKind(error: unknown, afterHead: boolean): Verdict {
  const codes = codesOf(error);
  if (codes.some((code) => TIMED_OUT.has(code)) || chainOf(error).some(isTimeout)) return { kind: 'timeout' };
  if (afterHead) return { kind: 'stream_cut' };
  if (codes.some((code) => HUNG_UP.has(code))) return { kind: 'network', hungUp: true };
  // Both need somebody who starts a server or corrects the address.
  if (codes.includes('ECONNREFUSED'))
    return { kind: 'network', retryable: false, why: 'nothing answers at that address' };
  if (codes.includes('ENOTFOUND')) return { kind: 'network', retryable: false, why: 'that name is not known' };
  if (codes.some((code) => BROKEN_TLS.test(code))) return { kind: 'network', why: 'the encrypted connection broke' };
  if (codes.some((code) => /^ERR_SSL|^EPROTO/.test(code))) {
    return { kind: 'network', retryable: false, why: 'it does not speak TLS (is its address http instead of https?)' };
  }
  if (codes.some(isCertificateCode)) {
    return { kind: 'network', retryable: false, why: 'its certificate is not trusted' };
  }
  if (codes.includes('ERR_INVALID_URL') || codes.includes('ERR_INVALID_PROTOCOL'))
    return { kind: 'network', retryable: false, why: 'that is no valid address' };
  if (codes.includes('ERR_INVALID_HTTP_TOKEN'))
    return { kind: 'network', retryable: false, why: 'a name among the headers of its settings is none' };
  if (isForbiddenHeader(error)) return { kind: 'auth' };
  const network = codes.length > 0 || error instanceof TypeError || chainOf(error).some(isOfConnection);
  return network ? { kind: 'network' } : { kind: 'unknown' };
}

/** SDKs name what the platform's codes would have said. */
function isTimeout(link: unknown): boolean {
  return link instanceof Error && (/Timeout/.test(link.name) || /\btimed[ -]?out\b/i.test(link.message));
}

function isOfConnection(link: unknown): boolean {
  return link instanceof Error && /Connection|Socket|Network/.test(`${link.name} ${link.constructor.name}`);
}

function isCertificateCode(code: string): boolean {
  return /CERT|^ERR_TLS|UNABLE_TO_(GET|VERIFY)|SELF_SIGNED/.test(code);
}

/** A key with a letter that HTTP cannot carry: `fetch` refuses the header before anything is sent. */
function isForbiddenHeader(error: unknown): boolean {
  return error instanceof TypeError && /ByteString|header (value|content)/i.test(error.message);
}

/** The codes along the cause chain, also of each address that was tried. */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 5) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...codesOf(cause, depth + 1),
    ...(Array.isArray(errors) ? errors.flatMap((each) => codesOf(each, depth + 1)) : []),
  ];
}
