import { maskSecrets } from '../safety/index.ts';

const LONGEST = 2_000;
/** Shorter values, such as a team's name in a header, are words. */
const SHORTEST = 8;

const LOOKS_SECRET = [
  /\b(?:sk|pk|rk|gsk|xai|key)-[\w-]{8,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(bearer|x-api-key|api[_-]?key|authorization)(["']?\s*[:=]?\s*["']?)[\w.~+/-]{8,}=*/gi,
];

/** Whether a text holds one of the secrets. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length >= SHORTEST && text.includes(secret));
}

/** Provider text for the log: known secrets and everything that looks like a key is masked; at most 2,000 characters. */
export function redact(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST) shown = shown.replaceAll(secret, '[secret]');
  }
  for (const pattern of LOOKS_SECRET) {
    shown = shown.replace(pattern, (_match, name?: unknown, gap?: unknown) =>
      typeof name === 'string' && typeof gap === 'string' ? `${name}${gap}[secret]` : '[secret]',
    );
  }
  shown = maskSecrets(shown);
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown;
}
