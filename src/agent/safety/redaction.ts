/**
 * Masks secrets in text that people see. What runs or is written is never changed by it.
 */

/** A token of fewer than 18 characters is hidden; of longer ones the first 6 and last 4 characters stay. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const { pattern, group } of PATTERNS) {
    masked = masked.replace(pattern, (whole: string, ...groups: unknown[]) => {
      const secret = group === 0 ? whole : groups[group - 1];
      if (typeof secret !== 'string' || isReference(secret)) return whole;
      const at = whole.lastIndexOf(secret);
      return whole.slice(0, at) + mask(secret) + whole.slice(at + secret.length);
    });
  }
  return masked;
}

function mask(secret: string): string {
  return secret.length < 18 ? '•••' : `${secret.slice(0, 6)}•••${secret.slice(-4)}`;
}

/** `$TOKEN`, `${{ secrets.X }}`, `<your-key>` and what is masked already are no secrets. */
function isReference(secret: string): boolean {
  return /^["']?(\$|%|<|\*|\{\{)|•••/.test(secret);
}

const VALUE = `"[^"\\n]+"|'[^'\\n]+'|[^\\s"'&|;<>]+`;
/** Bounded, so that no text can make the search quadratic. */
const NAME =
  '[\\w-]{0,60}(?:api[_-]?key|token|secret|passw(?:or)?d|passwd|credentials?|private[_-]?key|access[_-]?key)[\\w-]{0,60}';

const PATTERNS: readonly { readonly pattern: RegExp; readonly group: number }[] = [
  { pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, group: 0 },
  // Tokens that say by their first letters whose they are.
  { pattern: /\b(?:sk|pk|rk)[-_](?:[a-z0-9]+[-_])*[A-Za-z0-9_-]{16,}/g, group: 0 },
  { pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/g, group: 0 },
  {
    pattern: /\b(?:xox[abeprs]-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|hf_\w{20,}|npm_\w{30,}|gsk_\w{20,})/g,
    group: 0,
  },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, group: 0 },
  { pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, group: 0 },
  // Where a secret stands: headers, addresses, options, assignments.
  { pattern: /\b(?:bearer|basic|token)\s+([A-Za-z0-9+/=_.~-]{8,})/gi, group: 1 },
  { pattern: /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:([^\s@/]+)@/gi, group: 1 },
  { pattern: new RegExp(`(?:^|[\\s;&|({,"'?])-{0,2}${NAME}["']?\\s*[=:]\\s*(${VALUE})`, 'gim'), group: 1 },
  { pattern: new RegExp(`\\s--?${NAME}\\s+(${VALUE})`, 'gi'), group: 1 },
  { pattern: /\s(?:-u|--user|--proxy-user)[\s=]+["']?[^\s:"']+:([^\s"']+)/g, group: 1 },
];
