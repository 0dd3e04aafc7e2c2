/** Where a link in untrusted text may lead: the web, a mail address or a file of the workspace. Everything else is text. */
export type LinkTarget =
  | { readonly to: 'web'; readonly href: string; readonly host: string }
  | { readonly to: 'mail'; readonly href: string }
  | { readonly to: 'file'; readonly path: string; readonly line?: number };

export function linkTarget(raw: string): LinkTarget | undefined {
  const href = raw.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (href === '' || /[\u0000-\u001f\u007f]/.test(href)) return undefined;
  if (/^https?:\/\//i.test(href)) {
    const url = URL.parse(href);
    return url && url.username === '' && url.password === ''
      ? { to: 'web', href: url.href, host: url.host }
      : undefined;
  }
  if (/^mailto:[^\s]+$/i.test(href)) return { to: 'mail', href };
  return fileTarget(href);
}

/** `src/a.ts`, `src/a.ts:12`, `src/a.ts#L12`; the host decides whether it lies inside the workspace. */
function fileTarget(href: string): LinkTarget | undefined {
  if (/^(?:[a-z][a-z0-9+.-]+:|\/\/|\\\\|#|\?)/i.test(href) && !/^[\w./-]+\.\w+:\d+/.test(href)) return undefined;
  let decoded: string;
  try {
    decoded = decodeURIComponent(href);
  } catch {
    decoded = href;
  }
  const match = /^(.+?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?(?:-\d+)?)?$/.exec(decoded);
  const path = match?.[1];
  if (!path || /[?#]/.test(path)) return undefined;
  const line = Number(match[2] ?? match[3]);
  return { to: 'file', path, ...(line > 0 && { line }) };
}
