/** Variables by which programs start or load others: `LD_PRELOAD`, `GIT_SSH_COMMAND`, `NODE_OPTIONS=--require …`. */

import type { Word } from './shell/index.ts';

export interface StartingVariable {
  readonly why: string;
  /** The value, where it is a command. */
  readonly command: string | undefined;
}

/** @param word `NAME=value`. Undefined for all other names, and for values that only show, edit or connect. */
export function startingVariable({ text, dynamic }: Pick<Word, 'text' | 'dynamic'>): StartingVariable | undefined {
  const [, name = '', value = ''] = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(text) ?? [];
  const why = `It sets ${name}, by which programs start or load others.`;
  if (COMMANDS.test(name)) return !dynamic && HARMLESS.test(value) ? undefined : { why, command: value };
  const loads = (LIBRARIES.test(name) && value !== '') || (OPTIONS.test(name) && (dynamic || LOADING.test(value)));
  return loads ? { why, command: undefined } : undefined;
}

/** True for a variable by which every command loads or starts something else, or finds other programs. */
export function startsPrograms(name: string, value: string | null): boolean {
  if (value === null) return false;
  if (/^(PATH|.*_PATH|PYTHONPATH|CLASSPATH|RUBYLIB|PERL5LIB)$/i.test(name)) return true;
  return startingVariable({ text: `${name}=${value}`, dynamic: false }) !== undefined;
}

/** `NAME=value` as an argument, of programs that set variables for others. @param name of the program */
export function variablesAmong(name: string, args: readonly Word[]): readonly Word[] {
  if (!/^(env|export|declare|typeset|readonly|cross-env|cross-env-shell|sudo|doas|git)$/.test(name)) return [];
  return args.filter(({ text }) => /^[A-Za-z_]\w*\+?=/.test(text));
}

const COMMANDS =
  /^(GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND)|(SSH|SUDO)_ASKPASS|PROMPT_COMMAND|(MAN|SYSTEMD_|GH_|AWS_|BAT_)?PAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|CARGO_TARGET_\w+_RUNNER|RSYNC_RSH|CVS_RSH|FZF_DEFAULT_COMMAND|npm_config_script_shell|NPM_CONFIG_SCRIPT_SHELL)$/;
const LIBRARIES =
  /^(BASH_ENV|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|PYTHONHOME|PERL5DB|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG_(GLOBAL|SYSTEM|COUNT|PARAMETERS|KEY_\d+)|GCONV_PATH|OPENSSL_CONF|RIPGREP_CONFIG_PATH|WGETRC|CURL_HOME)$/;
/** Of these only some values load something; `ENV` is a file that `sh` runs, and more often the word `production`. */
const OPTIONS =
  /^(NODE_OPTIONS|npm_config_node_options|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|GNUMAKEFLAGS|TAR_OPTIONS|RUSTFLAGS|GOFLAGS|ENV)$/;
const LOADING =
  /(^|\s)(-r|--require|--import|--loader|--experimental-loader|-[IM]\S|-javaagent|-agent|--eval|SHELL=|--to-command|--use-compress-program|--checkpoint-action|-toolexec|-exec|-C\s?linker=)|^[~./].*\//;
const HARMLESS =
  /^\s*(|true|false|:|cat|less|more|most|bat|ssh|delta|code|vi|vim|nvim|nano|emacs|sccache|ccache)(\s+(--?[A-Za-z][\w-]*|-\d+|\d+))*\s*$/;
