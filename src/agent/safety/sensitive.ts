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
  if (CONFIG_FOLDERS.test(plain)) return 'a file with the logins of a program';
  return SECRET_NAMES.find(([pattern]) => pattern.test(name))?.[1];
}

/** A copy that an editor or a person left beside a file has its content: `.env~`, `id_rsa.bak`, `#.env#`. */
function withoutCopyMarks(name: string): string {
  const copied = /^#(.+)#$/.exec(name)?.[1] ?? name;
  return copied.replace(/(?:~|\.(?:bak|backup|old|orig|save|swp|\d{1,8}))+$/, '') || name;
}

/** Meant to be shared: they show which secrets there are, not what they are. */
const SAMPLES = /^\.env(rc)?[._-](example|sample|template|dist|defaults?|schema)$|\.pub$/;

/** Folders whose files are secrets, wherever they are. */
export const SECRET_FOLDERS: ReadonlySet<string> = new Set([
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.azure',
  '.password-store',
  'gcloud',
]);

/** Folders of programs that keep logins; a folder that is only named like one of them is none. */
const CONFIG_FOLDERS =
  /(^|\/)(\.config\/(gh|glab-cli|op|rclone)|\.terraform\.d|\.gem|\.m2)\/(hosts\.yml|config(\.ya?ml)?|rclone\.conf|credentials[^/]*|settings(-security)?\.xml)$/;

const SECRET_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^\.env(\..+|rc|-.+|_.+)?$|.\.env$|^\.(dev\.vars|flaskenv)$/, 'an environment file, which often holds keys'],
  [/\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx?|asc|gpg|der)$/, 'a key or certificate file'],
  [/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/, 'an SSH key'],
  [
    /^(\.npmrc|\.yarnrc(\.yml)?|\.pypirc|\.gemrc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.dockercfg|\.s3cfg|\.boto|\.vault-token|\.sentryclirc)$/,
    'a file with logins',
  ],
  [/^credentials$|^(credentials|secrets?|auth)\.(json|ya?ml|toml|ini|txt|xml|properties)$/, 'a credentials file'],
  [/^kubeconfig(\.ya?ml)?$/, 'a file with the logins of a cluster'],
  [/^(service-?account|client_?secrets?|application_default_credentials).*\.json$/, 'a credentials file'],
  [/\.(tfstate|tfvars)(\.backup)?$/, 'a Terraform file, which often holds secrets'],
];
