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

/** Its arguments are a command, or may hold one. @param args behind its name */
export function runsArguments(name: string, args: readonly string[]): boolean {
  if (RUNS_ITS_ARGUMENTS.test(name)) return true;
  const asked = SUBCOMMANDS.find(([names]) => names.test(name))?.[1];
  return asked !== undefined && args.slice(0, FIRST_ARGUMENTS).some((arg) => asked.test(arg));
}

/** Whatever its arguments are, one of them may name what it runs. */
export function mayRunArguments(name: string): boolean {
  return RUNS_ITS_ARGUMENTS.test(name) || SUBCOMMANDS.some(([names]) => names.test(name));
}

/** Given no file it runs what comes from its stdin. @param words its own name first */
export function runsStdin(name: string, words: readonly string[]): boolean {
  if (/^(at|batch)$/.test(name)) return true;
  const runs = (one: string) => isShell(one) || isInterpreter(one);
  if (!runs(name)) {
    return PASSES_STDIN.test(name) && words.slice(1).some((word) => runs(programName(word)));
  }
  return !words.slice(1).some((word) => !word.startsWith('-')) || words.includes('-s') || words.includes('-');
}

const SHELL = /^((ba|da|z|k|a|fi|c|tc)?sh|pwsh|powershell|cmd)$/;
const INTERPRETER =
  /^(i?python[\d.]*|pypy[\d.]*|node|nodejs|tsx|ts-node|julia|groovy|deno|bun|perl|ruby|php|lua|osascript|tclsh|r|rscript|iex|invoke-expression)$/;
const PRINTS = /^(echo|printf|write-output|write-host|:|true|false)$/;
const PASSES_STDIN = /^(sudo|env|xargs|nohup|time|command|exec|doas)$/;
/** Arguments among which the subcommand is looked for. */
const FIRST_ARGUMENTS = 6;
/** Programs that start another one by a subcommand or an option: for packages, containers, terminals. */
const SUBCOMMANDS: readonly (readonly [names: RegExp, asked: RegExp])[] = [
  [/^(npm|pnpm|yarn|bun|corepack)$/, /^(exec|x|dlx|-c|--call)$/],
  [/^(uv|poetry|pipenv|pdm|hatch|rye|conda|mamba|micromamba|op|doppler|rustup)$/, /^(run|x)$/],
  [
    /^(bundle|rbenv|pyenv|nodenv|asdf|mise|rtx|direnv|aws-vault|vagrant|lxc|incus|fly|flyctl|heroku)$/,
    /^(exec|x|ssh|run)$/,
  ],
  [/^(nix|nix-shell)$/, /^(-c|--command|--run)$/],
  [
    /^(tmux|screen|zellij)$/,
    /^(new|new-session|neww|new-window|split-window|splitw|send|send-keys|run|run-shell|if-shell|respawn-pane|-\w*d?m\w*|-X)$/,
  ],
  [/^(gdb|lldb)$/, /^--(args)?$/],
  [/^gcloud$/, /^ssh$/],
  [/^(sg|mosh|wsl|x-terminal-emulator|xterm|gnome-terminal|konsole|alacritty|kitty|wezterm)$/, /./],
];
const RUNS_ITS_ARGUMENTS =
  /^(sudo|doas|su|runuser|gosu|pkexec|env|nohup|time|timeout|gtimeout|nice|ionice|chrt|taskset|stdbuf|setsid|exec|command|builtin|xargs|find|fd|watch|parallel|strace|ltrace|busybox|toybox|uvx|pnpx|cross-env|cross-env-shell|dotenv|dotenvx|env-cmd|systemd-run|dtach|abduco|firejail|bwrap|proot|fakeroot|sshpass|unbuffer|hyperfine|sem|rush|fdfind|runcon|valgrind|perf|rr|caffeinate|machinectl|chronic|watchexec|nodemon|concurrently|numactl|proxychains4?|torsocks|torify|xvfb-run|dbus-run-session|start-stop-daemon|psexec|tsp|setpriv|prlimit|cgexec|ssh|docker|podman|nerdctl|kubectl|flock|chroot|unshare|nsenter|entr|script|npx|bunx|start-process|invoke-command|foreach-object|trap|if|then|do|else|elif|while|until|coproc|\{|!)$/;
