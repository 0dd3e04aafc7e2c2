/** The tools that an agent's file names, in the words of the systems it was written for. */

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  // Claude Code
  Read: ['read_file'],
  Glob: ['list_files'],
  LS: ['list_files'],
  Grep: ['search_files'],
  Edit: ['patch'],
  MultiEdit: ['patch'],
  Write: ['write_file'],
  Bash: ['terminal', 'process'],
  BashOutput: ['process'],
  KillShell: ['process'],
  Skill: ['skill'],
  // VS Code and Copilot CLI
  read: ['read_file', 'list_files', 'diagnostics'],
  view: ['read_file'],
  search: ['search_files', 'list_files'],
  grep: ['search_files'],
  glob: ['list_files'],
  edit: ['patch', 'write_file'],
  editFiles: ['patch', 'write_file'],
  execute: ['terminal', 'process'],
  shell: ['terminal', 'process'],
  bash: ['terminal', 'process'],
  runCommands: ['terminal', 'process'],
  runTasks: ['terminal', 'process'],
  codebase: ['search_files', 'list_files', 'read_file'],
  problems: ['diagnostics'],
  usages: ['search_files'],
  changes: ['terminal'],
  skill: ['skill'],
};

/** Ours, as they are; of an MCP server by its whole name, or all of it by `server/*`. */
const OWN = new Set([
  'read_file',
  'list_files',
  'search_files',
  'write_file',
  'patch',
  'terminal',
  'process',
  'diagnostics',
  'skill',
]);

/** Nothing that an agent has here; they are left out without a word. */
const NOT_FOR_AGENTS = new Set(['Task', 'Agent', 'agent', 'TodoWrite', 'todo', 'todos', 'AskUserQuestion']);

export interface AgentTools {
  /** Names of ours; `*` at the end stands for all that begin so. */
  readonly tools: readonly string[];
  readonly unknown: readonly string[];
}

export function agentTools(named: readonly string[]): AgentTools | undefined {
  if (named.includes('*')) return undefined;
  const tools = new Set<string>();
  const unknown: string[] = [];
  for (const written of named) {
    // `Bash(git *)` limits what may run; that is asked of the person for each command here.
    const name = written.replace(/\(.*\)$/, '');
    const server = /^([\w.-]+)\/\*$/.exec(name)?.[1];
    if (server !== undefined) tools.add(`mcp__${server}__*`);
    else if (OWN.has(name) || name.startsWith('mcp__')) tools.add(name);
    else if (Object.hasOwn(ALIASES, name)) for (const one of ALIASES[name] ?? []) tools.add(one);
    else if (!NOT_FOR_AGENTS.has(name)) unknown.push(written);
  }
  return { tools: [...tools], unknown };
}

export function mayUse(tools: readonly string[] | undefined, name: string): boolean {
  if (tools === undefined) return true;
  return tools.some((tool) => (tool.endsWith('*') ? name.startsWith(tool.slice(0, -1)) : tool === name));
}
