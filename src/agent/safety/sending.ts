/** The table of commands that reach other machines: they send data, change something there, or publish. */

import { has, type InvocationRule, operands, valuesOf } from './invocation-rule.ts';

const SENDS = 'It sends data to another machine.';
const CHANGES = 'It changes or deletes something on another machine.';
const PUBLISHES = 'It publishes what is here.';
const OPTIONS_OF_FILE = 'It takes further options from a file.';
const CONNECTS = 'It opens a connection to another machine.';
const DEPLOYS = 'It changes running systems or accounts.';

const CHANGING = /^(post|put|patch|delete)$/i;
const OWN_MACHINE = /^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)([:/?#]|$)/i;
const CURL_DATA = /^(--data(-\w+)?|--form(-\w+)?|--json|--upload-file|-[sSkLfivgGNO#]*[dFT]|--url-query)(=|$|.)/;

/** Words that look like an address; a host without anything else is one to curl and wget. */
function addresses(args: readonly string[]): readonly string[] {
  return operands(args).filter((arg) => /^[\w.-]+:\/\/|^\[?[\w.:-]+\]?(:\d+)?(\/|$)/.test(arg) && /[.:/]/.test(arg));
}

/** What only asks a server on this machine is a developer's everyday work. */
function leavesMachine(args: readonly string[]): boolean {
  const all = addresses(args).filter((address) => /:\/\/|^[\w-]+(\.[\w-]+)*:\d|^localhost/.test(address));
  return all.length === 0 || !all.every((address) => OWN_MACHINE.test(address));
}

function isRemote(place: string | undefined): boolean {
  // A drive of Windows has one letter.
  return place !== undefined && /^([\w.-]+@)?[\w.-]{2,}:(?!\\)|^[a-z]+:\/\//i.test(place);
}

export const SENDING: readonly InvocationRule[] = [
  {
    names: /^curl$/,
    level: 'always',
    when: (args) => valuesOf(args, /^(--request|-X)/).some((method) => CHANGING.test(method)) && leavesMachine(args),
    why: CHANGES,
  },
  {
    names: /^curl$/,
    level: 'always',
    when: (args) => has(args, CURL_DATA) && !has(args, /^(-G|--get)$/) && leavesMachine(args),
    why: SENDS,
  },
  {
    names: /^wget$/,
    level: 'always',
    when: (args) => has(args, /^--(post|body)-(data|file)|^--method(=|$)/) && leavesMachine(args),
    why: SENDS,
  },
  {
    names: /^(http|https|xh|xhs)$/,
    level: 'always',
    when: (args) => has(operands(args).slice(0, 1), CHANGING) && leavesMachine(args),
    why: CHANGES,
  },
  {
    names: /^(invoke-webrequest|invoke-restmethod|iwr|irm)$/,
    level: 'always',
    when: (args) =>
      (valuesOf(args, /^-m(e(t(h(o(d)?)?)?)?)?$/i).some((method) => CHANGING.test(method)) ||
        has(args, /^-(b(o(d(y)?)?)?|inf(i(l(e)?)?)?|form)$/i)) &&
      leavesMachine(args),
    why: SENDS,
  },
  {
    names: /^(scp|rsync|pscp|rclone)$/,
    level: 'always',
    when: (args) => isRemote(operands(args).at(-1)),
    why: SENDS,
  },
  {
    names: /^(sftp|ftp|lftp|nc|ncat|netcat|socat|telnet)$/,
    level: 'always',
    // `nc -z` only looks whether a port is open.
    when: (args) => !(has(args, /^-[a-zA-Z]*z/) && has(args, /^(localhost|127(\.\d{1,3}){3}|::1)$/)),
    why: CONNECTS,
  },
  { names: /^curl$/, level: 'always', when: (args) => has(args, /^-[a-zA-Z]*K|^--config/), why: OPTIONS_OF_FILE },
  {
    names: /^(heroku|fly|flyctl|netlify|supabase|stripe|doctl|hcloud|oci|pm2)$/,
    level: 'always',
    when: (args) =>
      has(
        operands(args).slice(0, 4),
        /^([\w-]+:)?(destroy|delete|remove|reset|rollback|promote|scale|restart|set|unset|push|deploy|create|stop|kill)$/,
      ),
    why: 'It changes running systems or accounts.',
  },
  {
    names: /^(aws|gcloud|az)$/,
    level: 'always',
    when: (args) =>
      has(
        operands(args).slice(0, 6),
        /^(batch-)?(update|put|create|modify|attach|detach|associate|disassociate|deregister|invoke|publish|revoke|authorize|reset|reboot|stop|start|run|patch|restore)(-[\w-]+)?$/,
      ),
    why: 'It changes running systems or accounts.',
  },
  {
    names: /^helm$/,
    level: 'always',
    when: (args) => has(operands(args).slice(0, 2), /^(install|upgrade)$/) && !has(args, /^--dry-run/),
    why: 'It changes running systems.',
  },
  { names: /^(mail|mailx|sendmail|mutt|swaks|msmtp)$/, level: 'always', why: SENDS },
  {
    names: /^gh$/,
    level: 'always',
    when: (args) =>
      args.includes('api') &&
      (valuesOf(args, /^(--method|-X)/).some((method) => CHANGING.test(method)) ||
        has(args, /^(-[fF]|--(raw-)?field|--input)(=|$|.)/)),
    why: CHANGES,
  },
  {
    names: /^(gh|glab|hub)$/,
    level: 'always',
    when: (args) =>
      has(operands(args).slice(0, 2), /^(merge|archive|set|edit|create|close|lock|upload|rename)$/) ||
      (args[0] === 'workflow' && args[1] === 'run'),
    why: 'It changes something in the project’s account.',
  },
  {
    names: /^(aws|gsutil|gcloud|az|mc|s3cmd)$/,
    level: 'always',
    when: (args) => has(args, /^(cp|sync|mv|put|upload|upload-batch|rsync)$/) && isRemote(operands(args).at(-1)),
    why: SENDS,
  },
  {
    names: /^(vercel|now)$/,
    level: 'always',
    when: (args) => args.length === 0 || has(args, /^(--prod|deploy|promote|rollback)$/),
    why: DEPLOYS,
  },
  {
    names:
      /^(firebase|wrangler|serverless|sls|cdk|cdktf|sam|eb|railway|surge|gatsby-cloud|amplify|fastlane|eas|cap|dokku|kamal|skaffold|nomad|ansible|ansible-playbook|ansible-pull|salt|fab)$/,
    level: 'always',
    when: (args, name) =>
      /^(surge|cap|fab|ansible.*|salt|fastlane)$/.test(name) ||
      has(
        args,
        /^(deploy|publish|destroy|remove|delete|terminate|up|down|push|submit|run|release|rollback|promote)(:|$)/,
      ),
    why: DEPLOYS,
  },
  { names: /^gem$/, level: 'always', when: (args) => has(args, /^(push|yank|owner)$/), why: PUBLISHES },
  {
    names: /^(docker|podman|nerdctl|helm|oras|skopeo|crane|buildah)$/,
    level: 'always',
    when: (args) => has(operands(args).slice(0, 2), /^(push|copy)$/) || has(args, /^--push$/),
    why: PUBLISHES,
  },
  {
    names: /^(dotnet|nuget|pod|mix|sbt|gradle|gradlew|mvn|mvnw|cargo|twine)$/,
    level: 'always',
    when: (args) =>
      has(
        operands(args),
        /^(push|upload|hex\.publish|deploy|release:perform|trunk|publish(?!ToMavenLocal)\w*|(\w*:)+publish(?!ToMavenLocal)\w*)$/,
      ),
    why: PUBLISHES,
  },
  {
    names:
      /^(poetry|flit|hatch|maturin|vsce|ovsx|lerna|changeset|semantic-release|np|release-it|pdm|rye|dart|flutter|jsr|deno|elm|nimble|opam|conda)$/,
    level: 'always',
    when: (args, name) =>
      /^(semantic-release|np|release-it)$/.test(name) || has(operands(args).slice(0, 2), /^(publish|upload)$/),
    why: PUBLISHES,
  },
];
