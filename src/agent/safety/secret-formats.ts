/**
 * How keys look. Every pattern is linear: repetitions are bounded or cannot overlap, and none begins inside a word.
 */

/** Tokens that say by their first letters whose they are. `min`: characters that have to follow. */
const PREFIXES: readonly (readonly [prefix: string, min: number])[] = [
  ...of(
    16,
    'sk- pk- rk- sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ sk-ant- sk-proj- sk-or- sk-lf- pk-lf- whsec_',
  ),
  ...of(
    20,
    'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ hf_ npm_ pypi- gsk_ xai- r8_ ya29. hvs. hvb. figd_ dckr_pat_ shpat_ shpss_ shpca_',
  ),
  ...of(16, 'glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glrtr- GR1348941'),
  ...of(10, 'xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xoxc- xoxd- xapp- '),
  ...of(
    16,
    'pplx- fal_ fc- bb_live_ tvly- exa_ syt_ ntn_ secret_ fw- fw_ lin_api_ PMAK- CFPAT- sntrys_ sntryu_ dp.pt. doo_v1_ dop_v1_ dor_v1_ key-',
  ),
  ...of(30, 'AIza dapi ATATT3 EAACEdEose0cBA rdme_ sgp_ nvapi- pat- patch_ AC'),
  ...of(40, 'gAAAA SG. '),
];

/** Where a token begins, then its characters; what may be a token is looked at by `isToken`. */
const TOKEN = /(?<![A-Za-z0-9_$])[A-Za-z][A-Za-z0-9_.-]{15,500}/g;

const WHOLE: readonly RegExp[] = [
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  // JWT.
  /(?<![\w-])eyJ[\w-]{8,10000}\.[\w-]{8,10000}(?:\.[\w-]{0,10000})?/g,
  // Zhipu.
  /(?<![A-Za-z0-9])[0-9a-f]{32}\.[A-Za-z0-9]{16,64}(?![A-Za-z0-9])/g,
  // A bot's token of Telegram.
  /(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{33}(?![\w-])/g,
  /(?<=https:\/\/hooks\.slack\.com\/services\/)[\w/]{20,100}/g,
  /(?<=https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/)[\w-]{20,100}/g,
];

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The word is one key from its first to its last character. */
export function isKey(word: string): boolean {
  return tokensIn(word).some(({ from, to }) => from === 0 && to === word.length);
}

/** Where tokens stand that say by their form what they are. */
export function tokensIn(text: string): readonly Range[] {
  const found: Range[] = [];
  if (STARTS.some((start) => text.includes(start))) {
    for (const { 0: whole, index } of text.matchAll(TOKEN)) {
      const token = whole.replace(/(?<![.-])[.-]+$/, '');
      if (isToken(token)) found.push({ from: index, to: index + token.length });
    }
  }
  for (const pattern of WHOLE) {
    for (const { 0: token, index } of text.matchAll(pattern)) found.push({ from: index, to: index + token.length });
  }
  return found;
}

function isToken(token: string): boolean {
  return PREFIXES.some(([prefix, min]) => {
    if (!token.startsWith(prefix) || token.length < prefix.length + min) return false;
    const rest = token.slice(prefix.length);
    // Words with hyphens between them are a name: `sk-circle-wrapper-inner-one`.
    return /\d/.test(rest) || /[A-Za-z]{16}/.test(rest);
  });
}

function of(min: number, prefixes: string): readonly (readonly [string, number])[] {
  return prefixes
    .trim()
    .split(/\s+/)
    .map((prefix) => [prefix, min] as const);
}

/** A cheap look first: most texts hold none of them. */
const STARTS: readonly string[] = [...new Set(PREFIXES.map(([prefix]) => prefix))];

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** What stands in the body of a key: base64, its headers, line ends, also as they are written in a string. */
const BODY = /(?:[A-Za-z0-9+/=\s]|\\[nrt]|[A-Z][A-Za-z-]{2,20}: [A-Za-z0-9,.-]{1,80}\s)*/y;

/** Bodies of private keys; their first and last lines stay. One that is cut off ends where its characters end. */
export function privateKeysIn(text: string): readonly Range[] {
  const found: Range[] = [];
  for (const { 0: begin, index } of text.matchAll(BEGIN)) {
    const from = index + begin.length;
    BODY.lastIndex = from;
    const body = BODY.exec(text)?.[0] ?? '';
    const trimmed = body.replace(/(?:\s|\\[nrt])*$/, '');
    const isWhole = text.startsWith('-----END ', from + body.length);
    // A mere mention of the line is no key.
    if (trimmed.length >= 24 || (isWhole && trimmed !== '')) {
      const start = from + (/^(?:\s|\\[nrt])*/.exec(trimmed)?.[0].length ?? 0);
      found.push({ from: start, to: from + trimmed.length });
    }
  }
  return found;
}
