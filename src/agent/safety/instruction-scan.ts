/**
 * Looks for orders in instruction files that hide themselves or turn against the person. A hit does not mean an attack:
 * the file is left out until the person has read it.
 *
 * Code is looked at for commands only: a text about such attacks quotes them there.
 */

/** What was found, in words, or undefined. Takes time in proportion to the text, of which 65,536 characters are read. */
export function suspiciousOrder(text: string): string | undefined {
  const plain = text.slice(0, LONGEST).normalize('NFKC');
  const { prose, code } = parts(plain);
  const said = [oneLine(prose), oneLine(asShown(prose))];
  const phrase = PHRASES.find(([pattern]) => said.some((one) => pattern.test(one)));
  if (phrase) return phrase[1];
  const hidden = oneLine(hiddenParts(prose).join(' | '));
  if (HIDDEN_ORDERS.some((pattern) => pattern.test(hidden))) return 'it gives orders in a part that is not shown';
  const line = [...prose.split('\n'), ...code].find(sendsSecrets);
  return line === undefined ? undefined : 'it sends secrets to an address';
}

const LONGEST = 65_536;

/** As a page would show it: characters by number, no elements, words of links alone. */
function asShown(text: string): string {
  return text
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (_, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
    })
    .replace(/&nbsp;/gi, ' ')
    .replace(/<\/?[a-z][a-z0-9]{0,20}(?: [^<>]{0,300})?>/gi, '')
    .replace(/\[([^[\]]{1,200})\]\([^()]{0,500}\)/g, '$1');
}

/** Over text in one line, with single spaces and without marks of emphasis. Every repetition is bounded. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override|bypass|discard|do not (?:follow|obey)|don't (?:follow|obey)|stop following) (?:(?:all|any|every|each|the|your|my|our|of|these|those|other|and) ){0,5}(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|system|developer|safety|initial)(?:,? (?:and |or )?(?:previous|prior|above|earlier|system|developer|safety|user|given)){0,3} (?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|messages?|commands?|context|constraints?|policies|policy)\b/i,
    'it tells agents to ignore their instructions',
  ],
  [
    /\b(?:ignore|disregard|forget) (?:all|everything|any instructions?|all (?:of )?(?:the |your )?instructions?)(?: (?:of )?(?:that|you|what)(?: (?:you|was|were|have been|came|is))?)? (?:above|before|previously|were told|was said|have been told|told you|given|so far|up to now)\b/i,
    'it tells agents to ignore their instructions',
  ],
  [
    /\b(?:ignore|disregard|forget) (?:all|every|any) (?:of )?(?:your |the )?(?:instructions|directives)\b/i,
    'it tells agents to ignore their instructions',
  ],
  [
    /\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|alert(?:ing)?|notify(?:ing)?|mention(?:ing)?(?: (?:this|it|that|any of this))? to|reveal(?:ing)?(?: (?:this|it|that))? to|let(?:ting)?) (?:the )?(?:user|person|human|developer|operator|owner|anyone|anybody)s?(?: know)?(?: (?:about|of|that|what|why|when you)\b|[.,;:!)]|$| and | or )/i,
    'it tells agents to hide something from the person',
  ],
  [
    /\b(?:hide|conceal|keep) (?:(?:this|it|that|these|them|any of this|your actions|what you do|all of this) )(?:(?:a )?secret |hidden |private |away )?from (?:the )?(?:user|person|human|developer|operator|reviewer)s?\b/i,
    'it tells agents to hide something from the person',
  ],
  ...[
    /\b(?:ignorier(?:e|t|en)?|missachte|vergiss|vergesst) (?:bitte )?(?:alle )?(?:deine |eure |die )?(?:vorherigen|vorigen|bisherigen|obigen|früheren) (?:anweisungen|regeln|vorgaben|befehle)/i,
    /\b(?:ignore[zr]?|oublie[zr]?) (?:toutes )?(?:les |vos |tes )?(?:instructions|consignes|règles) (?:précédentes|antérieures|ci-dessus)/i,
    /\b(?:ignor[ae]r?|olvida|esquece|dimentica) (?:todas? |tutte )?(?:las |as |le )?(?:instrucciones|instruções|istruzioni|reglas|regras|regole) (?:anteriores|previas|prévias|precedenti)/i,
    /(?:忽略|无视|忽視|無視|忘记)(?:掉)?.{0,6}(?:之前|以前|先前|上面|以上|前面).{0,6}(?:指令|指示|规则|規則|命令|提示)/u,
    /(?:以前|これまで|上記|前).{0,4}(?:指示|命令|ルール).{0,6}無視/u,
    /(?:игнорируй(?:те)?|забудь(?:те)?) (?:все )?(?:предыдущие|прежние|вышеуказанные) (?:инструкции|указания|правила)/iu,
  ].map((pattern) => [pattern, 'it tells agents to ignore their instructions'] as const),
  [/\byou are now (?:a |an |in |the |no longer |free |unrestricted|jailbroken|dan\b)/i, 'it gives agents another role'],
  [
    /\b(?:system prompt override|new system prompt:|begin system prompt|jailbreak mode|developer mode enabled)/i,
    'it gives agents another role',
  ],
  [
    /<\|(?:im_start|im_end|system|endoftext|start_header_id)\|?>|\[\/?INST\]|<<\/?SYS>>|<\/?system(?:[-_](?:reminder|prompt|message))?>/i,
    'it holds marks that only a program may set',
  ],
  [
    /\b(?:act|behave|respond|pretend) (?:as if |as though |that )?(?:you )?(?:have|had|are bound by|there are) no (?:restrictions|rules|limits|limitations|guidelines|filters|policies)\b/i,
    'it tells agents to ignore their limits',
  ],
  [
    /\b(?:send|upload|post|transmit|forward|exfiltrate|leak|e-?mail|submit) (?:[\w$'".{}/-]+ ){0,12}(?:secrets?|api[ _-]?keys?|access tokens?|tokens?|credentials?|passwords?|environment variables?|private keys?|ssh keys?|\.env\b\S{0,20})(?: [\w$'".{}/-]+){0,12} to (?:https?:|ftp:|[\w-]{1,60}\.[\w.-]{1,60}\/|this (?:url|address|server|endpoint|webhook)|the following (?:url|address|server|endpoint|webhook))/i,
    'it sends secrets to an address',
  ],
  [
    /\btranslate (?:[\w'-]+ ){1,12}into (?:[\w'-]+ ){1,6}and (?:then )?(?:execute|run|eval)\b/i,
    'it runs what it makes of a text',
  ],
];

/** In a comment or a part that is not shown, where nobody would read them. */
const HIDDEN_ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget) (?:[\w']+ ){0,6}(?:instructions?|rules?|prompts?|above|before)\b/i,
  /\b(?:you (?:must|should|shall|will|have to|need to|are to|are an?)|(?:ai|agents?|assistants?|models?|llms?|claude|copilot|codex|gemini|cursor|midcourse) ?(?::|,|must|should|shall|will|has to|have to|needs? to|please))\b/i,
  /\b(?:send|upload|post|transmit|exfiltrate|leak|curl|wget|fetch)\b.{0,200}(?:https?:|\bsecrets?\b|\btokens?\b|\bkeys?\b|\bcredentials?\b|\bpasswords?\b|\.env\b)/i,
  /\b(?:execute|run|eval)\b.{0,120}(?:\bcurl\b|\bwget\b|\bbase64\b|\bbash -c\b|\bpowershell\b|https?:)/i,
  /\b(?:do not|don't|never) (?:tell|inform|mention|reveal|notify|alert|let)\b/i,
  /\bwhen (?:you|the (?:agent|assistant|model|user))\b.{0,120}\b(?:also|always|first|secretly|silently|quietly)\b/i,
  /\b(?:secretly|silently|quietly|covertly|without asking)\b/i,
];

interface Parts {
  readonly prose: string;
  /** Lines of code. */
  readonly code: readonly string[];
}

/** A fence that is never closed is no code: it would hide all that follows. */
function parts(text: string): Parts {
  const prose: string[] = [];
  const code: string[] = [];
  let fence = '';
  let open: string[] = [];
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(?:> ?)?(?:[-*+] |\d{1,3}\. )?(`{3,20}|~{3,20})/.exec(line.slice(0, 200))?.[1] ?? '';
    if (fence === '') {
      if (mark === '') prose.push(line);
      else [fence, open] = [mark, [line]];
    } else if (mark.startsWith(fence) && /^[\s>]*[`~]+\s*$/.test(line.slice(0, 200))) {
      code.push(...open);
      [fence, open] = ['', []];
    } else open.push(line);
  }
  prose.push(...open);
  const inline: string[] = [];
  const bare = prose.map((line) =>
    line.replace(/(?<!`)`[^`]{1,1000}`(?!`)/g, (span) => {
      inline.push(span.slice(1, -1));
      return ' ';
    }),
  );
  return { prose: bare.join('\n'), code: [...code, ...inline] };
}

/** Comments of HTML and Markdown, and elements that a style hides. */
function hiddenParts(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = text.indexOf('<!--'); at >= 0; ) {
    const end = text.indexOf('-->', at + 4);
    // Without an end all that follows is hidden.
    found.push(text.slice(at + 4, end < 0 ? undefined : end));
    at = end < 0 ? -1 : text.indexOf('<!--', end);
  }
  for (const line of text.split('\n')) {
    const [, words] = /^\s{0,10}\[[^\]]{0,40}\]: ?(?:#|<>|\/) ?(.{0,2000})/.exec(line) ?? [];
    if (words !== undefined) found.push(words);
    const style =
      /<[a-z]{1,20}\b[^>]{0,300}(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0\b|\bhidden\b)[^>]{0,300}>/i.exec(
        line.slice(0, 4_000),
      );
    if (style) found.push(line.slice(style.index));
  }
  return found;
}

const SENDS =
  /\b(?:curl|wget|httpie?|https?|fetch|nc|ncat|netcat|scp|sftp|rsync|ftp|invoke-webrequest|invoke-restmethod|iwr|irm|requests\.(?:post|get|put)|axios|nslookup|dig|telnet)\b/i;
/** A key in a header of its own is how one signs in to a service. */
const SIGN_IN = /(?:-H|--header|-u|--user|--oauth2-bearer)(?:=| )? ?(?:"[^"]{0,500}"|'[^']{0,500}'|\S{1,500})/g;
const SECRET_VALUE =
  /\$\{?(?:env:)?\w{0,60}(?:api_?key|_key|token|secret|passw|credential)\w{0,60}\}?|%\w{0,60}(?:key|token|secret|passw)\w{0,60}%|process\.env\.\w{0,60}(?:key|token|secret|passw)|os\.environ/i;
const SECRET_SOURCE =
  /(?:^|[\s@<=('"/])(?:~\/|\$home\/|[\w.-]{1,60}\/){0,8}(?:\.env(?:\.(?!example|sample|template|dist)[\w.-]{1,40})?(?![\w.-])|\.ssh\/|id_(?:rsa|ed25519|ecdsa)\b|\.aws\/|\.netrc\b|\.npmrc\b|\.git-credentials\b|\.kube\/config|\/etc\/passwd|\/etc\/shadow)|\b(?:printenv|env) ?\|/i;

/** A line of a command that hands a key, or a file of keys, to a program that sends. */
function sendsSecrets(line: string): boolean {
  const shown = line.slice(0, 2_000);
  if (!SENDS.test(shown)) return false;
  const rest = shown.replace(SIGN_IN, ' ');
  return (
    (/https?:|\b\d{1,3}(?:\.\d{1,3}){3}\b|\|/i.test(rest) && SECRET_SOURCE.test(rest)) ||
    (/https?:/i.test(rest) && SECRET_VALUE.test(rest))
  );
}

function oneLine(text: string): string {
  return text
    .replace(/[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}/g, '')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}
