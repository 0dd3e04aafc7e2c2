/**
 * How commands are started: which shell, with what environment, and where their output goes.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { readPaced } from './paced-stream.ts';
import { MARK } from './process-tree.ts';
import { type OnText, TerminalText } from './terminal-text.ts';

/** The shell of `midcourse.terminal` if set, else `/bin/bash`, else `/bin/sh`; on Windows PowerShell. */
export function shellFor(configured: string | undefined): string {
  if (configured) return configured;
  if (process.platform === 'win32') return 'powershell.exe';
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
}

export interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly shell: string;
  /** Value of the environment mark; unique for each command. */
  readonly mark: string;
}

/**
 * Starts a command in a process group and session of its own, without a terminal and with stdin closed.
 * With `tellFolder`, file descriptor 3 tells the directory in which the shell ended (POSIX shells only); it has to be read.
 */
export function spawnShell(options: ShellCommand, { tellFolder }: { readonly tellFolder: boolean }): ChildProcess {
  return spawn(options.shell, shellArguments(options.shell, options.command, tellFolder), {
    cwd: options.cwd,
    env: { ...options.env, [MARK]: options.mark },
    stdio: ['ignore', 'pipe', 'pipe', ...(tellFolder ? (['pipe'] as const) : [])],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

/** What a shell is started with to run one command. */
export function shellArguments(shell: string, command: string, tellFolder: boolean): string[] {
  const name = shell.replace(/^.*[\\/]/, '').toLowerCase();
  if (/^(powershell|pwsh)/.test(name)) return ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', command];
  if (name.startsWith('cmd')) return ['/d', '/s', '/c', command];
  const posix = /^(ba|da|k|z|a)?sh$/.test(name);
  return ['-c', posix && tellFolder ? `trap 'pwd -P >&3 2>/dev/null' EXIT\n${command}` : command];
}

export interface OutputReading {
  /** Resolves when both streams have ended and all of their text was told. */
  readonly done: Promise<void>;
  /** Resolves when both streams have ended; their last text may still be drawn. */
  readonly closed: Promise<void>;
  /** Resolves when what has come until now was told. */
  told(): Promise<void>;
}

/** Calls back with the text that a terminal would show, as it comes. */
export function readOutput(child: ChildProcess, onText: OnText): OutputReading {
  const terminal = new TerminalText(onText);
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const closed = Promise.all(streams.map((stream) => readStream(stream, terminal))).then(() => undefined);
  return { closed, done: closed.then(() => terminal.end()), told: () => terminal.settled() };
}

async function readStream(stream: Readable, terminal: TerminalText): Promise<void> {
  const decoder = new StringDecoder('utf8');
  await readPaced(stream, (chunk) => terminal.write(decoder.write(chunk)));
  terminal.write(decoder.end());
}

/** Names of keys that agents, model providers and this editor put into their own environment. */
const PROVIDER =
  /^(MIDCOURSE|ANTHROPIC|CLAUDE|OPENAI|CODEX|AZURE_OPENAI|GEMINI|GOOGLE_(API|GENAI|GENERATIVE_AI)|VERTEX|XAI|GROK|GROQ|MISTRAL|COHERE|DEEPSEEK|OPENROUTER|TOGETHER|FIREWORKS|PERPLEXITY|CEREBRAS|NVIDIA|NOUS|HERMES|KIMI|MOONSHOT|ZAI|GLM|MINIMAX|DASHSCOPE|QWEN|OLLAMA|HF|HUGGINGFACE|HUGGING_FACE|REPLICATE|ELEVENLABS|TAVILY|EXA|BRAVE|FIRECRAWL|SERPER|LANGSMITH|COPILOT|CURSOR|CLINE|AI_GATEWAY|LITELLM|AWS_BEARER)_/i;
const SECRET = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i;
/** Variables of the editor's own process, which would change what a command's Node or `code` does. */
const EDITOR = /^(ELECTRON_|VSCODE_(?!PORTABLE$)|APPLICATION_INSIGHTS_NO_)/;

/**
 * The environment for commands: the host's own without the keys of models and agents (and those named in `secretNames`),
 * and with what keeps programs from waiting for a person.
 */
export function commandEnvironment(
  host: NodeJS.ProcessEnv,
  secretNames: readonly string[] = [],
  { set = {}, letThrough = [] }: Changes = {},
): NodeJS.ProcessEnv {
  const all = { ...host, ...set };
  const kept = Object.entries(all).filter(([name, value]) => {
    if (value === null || EDITOR.test(name)) return false;
    return letThrough.includes(name) || !((PROVIDER.test(name) && SECRET.test(name)) || secretNames.includes(name));
  });
  return { ...Object.fromEntries(kept), TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
}

interface Changes {
  /** Beside the host's own; `null` takes a variable away. */
  readonly set?: Readonly<Record<string, string | null>>;
  /** Names that pass although they look like a key, as the user wants it. */
  readonly letThrough?: readonly string[];
}
