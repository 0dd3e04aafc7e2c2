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
}

export type CustomisationSource =
  | { readonly is: 'workspace' }
  | { readonly is: 'user' }
  | { readonly is: 'plugin'; readonly plugin: string };

/** A folder of a plugin or of the workspace that holds customisations. */
export interface CustomisationFolder {
  /** Absolute. */
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
}

/** A `*.prompt.md`, a plugin's command, or a skill that people may start. */
export interface SlashCommand extends Customisation {
  readonly is: 'prompt' | 'command' | 'skill';
  readonly argumentHint?: string;
}

/** What a plugin's code adds to the system prompt, skills and slash commands; read anew for each turn. */
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
