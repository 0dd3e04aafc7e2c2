/**
 * What files say to the agent without running anything: instructions, skills, prompt files, commands and agents, of the
 * workspace, the user and plugins. Read only.
 */

interface Customisation {
  readonly name: string;
  readonly description: string;
  /** Absolute path of its file. */
  readonly path: string;
  readonly source: CustomisationSource;
  /** What of the file has no effect here, in words; empty or absent when all of it counts. */
  readonly notes?: readonly string[];
}

export type CustomisationSource =
  | { readonly is: 'workspace' }
  | { readonly is: 'user' }
  | { readonly is: 'plugin'; readonly plugin: string };

/** A folder of a plugin or of the workspace that holds customisations. */
export interface CustomisationFolder {
  /** Absolute. Of skills: the folder that holds their folders, or one that is a skill itself. */
  readonly path: string;
  readonly holds: 'skills' | 'commands' | 'agents' | 'prompts';
  readonly source: CustomisationSource;
}

export interface Skill extends Customisation {
  readonly is: 'skill';
  /** False: only a person starts it, as a slash command. */
  readonly modelMayUse: boolean;
  readonly userMayUse: boolean;
  readonly argumentHint?: string;
  /** What the file says below its frontmatter. */
  readonly body: string;
}

/** A `*.prompt.md`, a plugin's command, or a skill that people may start. */
export interface SlashCommand extends Customisation {
  readonly is: 'prompt' | 'command' | 'skill';
  readonly argumentHint?: string;
  readonly body: string;
}

/** A slash command that is a file of its own. */
export type CommandFile = SlashCommand & { readonly is: 'prompt' | 'command' };

/** A role that the model can delegate to. */
export interface AgentRole extends Customisation {
  readonly is: 'agent';
  /** What the agent is told beside its task. */
  readonly prompt: string;
  /** Names of the tools that it may use, `*` at the end for all that begin so; absent for all. */
  readonly tools?: readonly string[];
  /** `provider/model`; absent for that of the session. */
  readonly model?: string;
}

/** Text that stands in the system prompt, or is given when the agent first works on what it is for. */
export interface Instructions extends Customisation {
  readonly is: 'instructions';
  readonly text: string;
  /** Globs of the files that it is for; absent when it always counts. */
  readonly appliesTo?: readonly string[];
}

/** A file that is listed and not used, with the reason. */
export interface Unused {
  readonly path: string;
  readonly source: CustomisationSource;
  readonly why: string;
  /** The hash of its text, where the person may have it loaded all the same. */
  readonly held?: string;
}

/** What plugins add to the system prompt, skills and slash commands; read anew for each session. */
export interface CustomisationProvider {
  folders(): readonly CustomisationFolder[];
  sections(): readonly { readonly source: CustomisationSource; readonly title: string; readonly text: string }[];
  commands(): readonly ProvidedCommand[];
  onDidChange(listener: () => void): { dispose(): unknown };
}

/** A slash command that code answers. */
export interface ProvidedCommand {
  readonly name: string;
  readonly description: string;
  readonly plugin: string;
  readonly argumentHint?: string;
  /** What is sent as the user's message; undefined when the command has done its work by itself. */
  run(args: string, signal: AbortSignal): Promise<{ readonly prompt?: string; readonly message?: string }>;
}

/** What the loop is given of them. Nothing here throws or rejects. */
export interface CustomisationPort {
  /**
   * Reads what the system prompt of the session is to hold, from now on the same for it. Undefined when that is known.
   * A changed file counts for new sessions, and for this one from its first turn after a compaction.
   */
  prepare(sessionId: string): Promise<void> | undefined;
  /** The conversation of the session was replaced by a summary, and with it what was told of folders on the way. */
  compacted(sessionId: string): void;
  /** Those that a session may delegate to. */
  readonly roles: readonly AgentRole[];
}
