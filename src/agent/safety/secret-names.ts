/** Values that are secrets by what stands before them: a name, a header, an address, an option. */

import type { Range } from './secret-formats.ts';

/**
 * `NAME=value`, `name: value`, `"name": "value"`, `name := value`; the value is quoted, or goes up to the next space, quote
 * or separator. The name is looked at by `isSecretName`.
 */
const ASSIGNMENT =
  /(?<![\w.$-])((?:--?|\$env:|@)?[A-Za-z_][\w.-]{1,100})(?:\\{0,3}["'])?(\s{0,8}(?:=>|:=|[=:])\s{0,8})(\\{0,3}"(?:[^"\\\n]|\\[^"\n]){1,4000}\\{0,3}"|'[^'\n]{1,4000}'|[^\s"'&|;<>]{1,4000})/g;
const OPTION =
  /(?<=\s)(--?[A-Za-z][\w-]{1,60})(\s{1,4})("(?:[^"\\\n]|\\[^\n]){1,4000}"|'[^'\n]{1,4000}'|[^\s"'&|;<>]{1,4000})/g;
/** Of XML. */
const ELEMENT = /<([A-Za-z][\w.:-]{1,60})>([^<>\n]{4,4000})(?=<\/)/g;

/** The secret is what the only group holds. */
const IN_PLACE: readonly RegExp[] = [
  /(?:authorization|x-api-key|api-key|x-auth-token|private-token|x-goog-api-key|x-access-token)["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest|bot|apikey|negotiate|aws4-hmac-sha256)\s{1,4})?([^\s"',;<>]{6,4000})/gi,
  /\bbearer\s{1,4}([A-Za-z0-9+/=_.~-]{16,4000})/gi,
  /(?<=^|[\n"'])\s{0,8}(?:set-)?cookie["']?\s{0,4}:\s{0,4}["']?([^\n"']{6,4000})/gi,
  // The password of an address, up to the last @ before its path. The host stays.
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'<>]{0,200}:([^\s/"'<>]{1,500})@(?=[\w.[%-])/gi,
  // A token in place of the user.
  /\bhttps?:\/\/([A-Za-z0-9_-]{20,300})@(?=[\w.-])/gi,
  /[?&;](?:access_token|token|api_?key|apikey|key|sig|signature|secret|client_secret|password|passwd|auth|code|x-amz-signature|x-amz-credential|x-amz-security-token)=([^&\s"'#<>]{8,4000})/gi,
  /\s(?:-u|--user|--proxy-user)[\s=]{1,4}["']?[^\s:"']{1,200}:([^\s"']{1,500})/g,
];

export function namedSecretsIn(text: string): readonly Range[] {
  const found: Range[] = [];
  for (const { 0: whole, 1: name = '', 2: gap = '', 3: value = '', index } of text.matchAll(ASSIGNMENT)) {
    if (isSecretName(name) && isSecretValue(value, gap)) found.push(inner(value, index + whole.length - value.length));
  }
  for (const { 0: whole, 1: name = '', 3: value = '', index } of text.matchAll(OPTION)) {
    if (isSecretName(name) && isSecretValue(value, '=')) found.push(inner(value, index + whole.length - value.length));
  }
  for (const { 1: name = '', 2: value = '', index } of text.matchAll(ELEMENT)) {
    const from = index + name.length + 2;
    if (isSecretName(name) && !isReference(value)) found.push({ from, to: from + value.length });
  }
  for (const pattern of IN_PLACE) {
    for (const { 0: whole, 1: value = '', index } of text.matchAll(pattern)) {
      if (isReference(value)) continue;
      const from = index + whole.lastIndexOf(value);
      found.push({ from, to: from + value.length });
    }
  }
  return found;
}

/** Without its quotes. */
function inner(value: string, from: number): Range {
  const [open = ''] = /^\\{0,3}["']/.exec(value) ?? [];
  return { from: from + open.length, to: from + value.length - open.length };
}

/** Words that make a name one of a secret when it ends with them. */
const ENDS =
  /^(?:token|secrets?|passwords?|passwd|passphrase|passcode|pwd|credentials?|creds|apikey|apitoken|accesskey|secretkey|privatekey|authtoken|accesstoken|refreshtoken|clientsecret|appsecret|connectionstring)$/;
/** Words that do so behind another word: `REDIS_AUTH`, `DB_PASS`. */
const ENDS_LONGER = /^(?:pass|pw|auth|key)$/;
/** Words that stand before `key` where it is none to a lock. */
const PLAIN_KEYS =
  /^(?:public|primary|foreign|partition|sort|cache|row|hot|short|map|group|index|unique|composite|i18n|translation|query|object|item|storage|sorting|lookup|dedupe|idempotency|event|json|dict|arrow|enter|shift|meta|ctrl|react)$/;
/** What may follow: which of several it is, or how it is written. */
const SUFFIX =
  /^(?:\d{1,3}|prod|production|dev|development|test|testing|staging|stage|live|sandbox|old|new|next|current|default|value|raw|b64|base64|env|local|ci|main|primary|secondary|backup)$/;

/** `MAX_TOKENS`, `AUTH_HOST`, `CREDENTIAL_PATH`, `monkey`, `author` are none: the name has to end with the word. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && word !== 'env');
  while (words.length > 1 && SUFFIX.test(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const before = words.at(-2);
  if (ENDS.test(last)) return true;
  if (last === 'tokens') return before !== undefined && SEVERAL.test(before);
  if (!ENDS_LONGER.test(last)) return /(?:password|passwd|secret|apikey|token)$/.test(last) && last.length <= 40;
  // npm writes `_auth`.
  if (before === undefined) return last === 'auth' && name.startsWith('_');
  return !(last === 'key' && PLAIN_KEYS.test(before));
}

/** Most `tokens` are counted; those are not. */
const SEVERAL = /^(?:api|access|auth|secret|bearer|refresh)$/;

function isSecretValue(value: string, gap: string): boolean {
  // Its body is found by its own lines.
  if (value.includes('-----BEGIN ')) return false;
  const bare = value.replace(/^\\{0,3}["']|\\{0,3}["']$/g, '');
  if (isReference(bare)) return false;
  if (bare !== value) return bare.length >= 4 && !/^(?:string|number|boolean|password|text|hidden)$/i.test(bare);
  const plain = bare.replace(/(?<![,)\]}])[,)\]}]+$/, '');
  if (PLAIN_VALUES.test(plain) || CALL.test(plain)) return false;
  // In a file of settings; code puts spaces around, and names there are no values.
  if (!/\s/.test(gap) && gap !== ':') return plain.length >= 3;
  return (
    plain.length >= 6 &&
    (/\d/.test(plain) || /[^\w.?[\]]/.test(plain) || plain.length >= 20) &&
    !/^[\w$]+(?:\.[\w$]+)+$/.test(plain)
  );
}

const PLAIN_VALUES =
  /^(?:true|false|null|none|nil|undefined|string|str|number|int|bytes|boolean|bool|any|unknown|object|optional|required|required:|yes|no|on|off|\d{1,5}|[{[(].*|\||>|-|)$/i;
const CALL = /^(?:new\b|await\b|function\b|async\b|[\w$.]{1,100}[([])/;

/** Looked up elsewhere, a placeholder, or masked already. */
export function isReference(value: string): boolean {
  return (
    /^\\{0,3}["']?(?:\$|%\w{1,80}%|<|\*{2,}|\{\{|#\{|@\w+@|\.\.\.|…|x{3,}$|X{3,}$)/.test(value) ||
    /•••|«redacted|\[secret\]|\[redacted/i.test(value) ||
    /^(?:process\.env|import\.meta|os\.(?:getenv|environ)|env\(|getenv|secrets\.|vault:|op:\/\/|ref\+|sm:\/\/)/i.test(
      value,
    ) ||
    /^["']?(?:change[_-]?me|your[_-].*|my[_-]?(?:secret|token|key|password)|example.*|placeholder|dummy|todo|redacted|insert[_-].*|replace[_-].*)["']?$/i.test(
      value,
    )
  );
}
