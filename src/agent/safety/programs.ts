/** Kinds of programs that the reading of commands has to know: shells, interpreters, those that run other commands. */

/** The name of a program: without folder and ending, in lower case. */
export function programName(word: string): string {
  return word
    .replace(/^.*[\\/]/, '')
    .replace(/\.(exe|cmd|bat)$/i, '')
    .toLowerCase();
}

export function isShell(name: string): boolean {
  return SHELL.test(name);
}

export function isInterpreter(name: string): boolean {
  return INTERPRETER.test(name);
}

/** What it is given is text, not names of files. */
export function printsItsWords(name: string): boolean {
  return PRINTS.test(name);
}

/** Its arguments are a command, or may hold one. */
export function runsArguments(name: string): boolean {
  return RUNS_ITS_ARGUMENTS.test(name);
}

/** Given no file it runs what comes from its stdin. @param words its own name first */
export function runsStdin(name: string, words: readonly string[]): boolean {
  const runs = (one: string) => isShell(one) || isInterpreter(one);
  if (!runs(name)) {
    return PASSES_STDIN.test(name) && words.slice(1).some((word) => runs(programName(word)));
  }
  return !words.slice(1).some((word) => !word.startsWith('-')) || words.includes('-s') || words.includes('-');
}

const SHELL = /^((ba|da|z|k|a|fi|c|tc)?sh|pwsh|powershell|cmd)$/;
const INTERPRETER =
  /^(python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|tclsh|r|rscript|iex|invoke-expression)$/;
const PRINTS = /^(echo|printf|write-output|write-host|:|true|false)$/;
const PASSES_STDIN = /^(sudo|env|xargs|nohup|time|command|exec|doas)$/;
const RUNS_ITS_ARGUMENTS =
  /^(sudo|doas|su|runuser|gosu|pkexec|env|nohup|time|timeout|gtimeout|nice|ionice|chrt|taskset|stdbuf|setsid|exec|command|builtin|xargs|find|fd|watch|parallel|strace|ltrace|busybox|toybox|ssh|docker|podman|nerdctl|kubectl|flock|chroot|unshare|nsenter|entr|script|npx|bunx|start-process|invoke-command|foreach-object|trap|if|then|do|else|elif|while|until|coproc|\{|!)$/;
