/**
 * Files with secrets, by their names: they ask before they are read. Not a wall against a command that reads them;
 * commands ask for themselves.
 */

import { plainPath } from './plain-path.ts';

/** What kind of secret a file holds, in words, or undefined. `path` may be relative or absolute, with either slash. */
export function secretKind(path: string): string | undefined {
  const plain = plainPath(path);
  const segments = plain.split('/');
  const name = withoutCopyMarks(segments.at(-1) ?? '');
  if (SAMPLES.test(name)) return undefined;
  const folder = segments.slice(0, -1).find((segment) => SECRET_FOLDERS.has(segment));
  if (folder !== undefined) return `a file in ${folder}`;
  if (CONFIG_FOLDERS.test(plain) || LOGIN_FOLDERS.test(plain)) return 'a file with the logins of a program';
  if (SYSTEM_FILES.test(plain)) return 'a file of the system with passwords or variables';
  return SECRET_NAMES.find(([pattern]) => pattern.test(name))?.[1];
}

/** A copy that an editor or a person left beside a file has its content: `.env~`, `id_rsa.bak`, `#.env#`. */
function withoutCopyMarks(name: string): string {
  const copied = /^#(.+)#$/.exec(name)?.[1] ?? name;
  return copied.replace(/(?:~|\.(?:bak|backup|old|orig|save|swp|\d{1,12}))+$/, '') || name;
}

/**
 * Meant to be shared: they show which secrets there are, not what they are. Also source code that has the name of one
 * (`.env.d.ts`, `.env.test.ts`; not PHP, where Symfony keeps secrets in `.env.local.php`), what is encrypted, and public
 * halves of keys.
 */
const SAMPLES =
  /^\.env(rc)?([._-][\w.-]*)?[._-](example|sample|template|tpl|dist|defaults?|schema)([._-]local)?$|^(example|sample|template|default)s?\.env$|^\.env[\w.-]*\.([cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|swift|md|mdx|html|css|snap|vault|enc|gpg|age|sops)$|\.pub$|(^|[._-])pub(lic)?([._-]?key)?\.(pem|der|asc|gpg|key)$/;

/** Folders whose files are secrets, wherever they are. */
export const SECRET_FOLDERS: ReadonlySet<string> = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.password-store']);

/** Folders of programs that keep logins; a folder that is only named like one of them is none. */
const LOGIN_FOLDERS =
  /(^|\/)(\.config\/(gcloud|stripe|doctl|heroku|hub|configstore|containers)\/.|\.docker\/(config\.json$|contexts\/|[^/]+\.pem$)|\.azure\/(.+\/)?([^/]*(token|profile|credential|msal)[^/]*|\.env)$|\.(oci|snowsql|netlify|fly)\/(config|connections)(\.\w+)?$|\.cargo\/credentials$|\.(claude|codex|gemini|qwen)\/\.?(credentials|auth|oauth_creds)\.json$)/;
const SYSTEM_FILES = /^\/etc\/(g?shadow-?|sudoers|sudoers\.d\/.*|krb5\.keytab)$|^\/proc\/[^/]+\/environ$/;
const CONFIG_FOLDERS =
  /(^|\/)(\.config\/(gh|glab-cli|op|rclone)|\.terraform\.d|\.gem|\.m2)\/(hosts\.yml|config(\.ya?ml)?|rclone\.conf|credentials[^/]*|settings(-security)?\.xml)$/;

const SECRET_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^\.env(\..+|rc|-.+|_.+)?$|.\.env$|^\.(dev\.vars|flaskenv)$/, 'an environment file, which often holds keys'],
  [
    /\.(pem|key|p8|pk8|p12|pkcs12|pfx|jks|keystore|keytab|ppk|kdbx?|asc|gpg|der|ovpn|agekey)$/,
    'a key or certificate file',
  ],
  [/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?([_-][\w-]*)?$/, 'an SSH key'],
  [
    /^\.((bash|zsh|sh|fish|psql|mysql|sqlite|python|node_repl|irb|rediscli|lesshst)_history)$/,
    'a history of what was typed',
  ],
  [
    /^(\.npmrc|\.yarnrc(\.yml)?|\.pypirc|\.gemrc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.dockercfg|\.s3cfg|\.boto|\.vault-token|\.sentryclirc|\.mylogin\.cnf|\.pg_service\.conf|\.databrickscfg|\.authinfo|\.dockerconfigjson|\.rclone\.conf|\.s3curl|\.terraformrc|\.smbcredentials|\.msmtprc|\.fetchmailrc|wp-config\.php|local\.settings\.json|logins\.json|key4\.db)$/,
    'a file with logins',
  ],
  [
    /^\.?credentials$|^\.?(credentials|secrets?|auth)([._-](local|dev|development|test|stag(e|ing)|prod|production|live))?\.(json|ya?ml|toml|ini|txt|xml|properties)$/,
    'a credentials file',
  ],
  [/^kubeconfig(\.ya?ml)?$/, 'a file with the logins of a cluster'],
  [
    /^(service-?account|client_?secrets?|application_default_credentials).*\.json$|firebase-adminsdk.*\.json$/,
    'a credentials file',
  ],
  [/\.(tfstate|tfvars)(\.json|(\.\d+)?\.backup)?$/, 'a Terraform file, which often holds secrets'],
];
