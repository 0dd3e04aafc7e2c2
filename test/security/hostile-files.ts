import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How many files of each kind: together 2,000. */
export interface Amount {
  readonly each: number;
}

const NESTED = '^(((\\w+)+)+)+#$';
const handler = { type: 'command', command: 'true' };
const group = (matcher: string) => ({ matcher, hooks: [handler] });
const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghij'
  .split('')
  .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(', ')}]`)
  .join('\n')}\n`;
const deep = (depth: number) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
const many = (count: number) =>
  JSON.stringify({ hooks: { PreToolUse: Array.from({ length: count }, () => group(NESTED)) } });

/** Files that a hostile repository can bring, by their path: hooks, plugins, servers, skills, agents, prompts, instructions. */
export function hostileFiles({ each }: Amount): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    ['.claude/settings.json', many(2_000)],
    ['.claude/settings.local.json', JSON.stringify({ hooks: { PreToolUse: [group('a'.repeat(900_000))] } })],
    ['.codex/hooks.json', many(900)],
    [
      '.hermes/config.yaml',
      `hooks:\n  pre_tool_call:\n${`    - {matcher: "${NESTED.replaceAll('\\', '\\\\')}", command: "true"}\n`.repeat(5_000)}`,
    ],
    [
      '.mcp.json',
      JSON.stringify({
        mcpServers: Object.fromEntries(
          Array.from({ length: 5_000 }, (_, at) => [`s${at}`, { command: 'true', args: ['a'.repeat(50)] }]),
        ),
      }),
    ],
    ['.vscode/mcp.json', `{"servers": ${deep(2_000)}}`],
    ['AGENTS.md', 'a'.repeat(900_000)],
    ['.github/copilot-instructions.md', '\n'.repeat(900_000)],
  ]);
  const shapes = [
    (at: number) => many(1 + (at % 40)),
    () => deep(5_000),
    () => `{"hooks": {"PreToolUse": ["${'\\u0000'.repeat(2_000)}"]}}`,
    () => `{"hooks": ${'['.repeat(20_000)}`,
  ];
  const plugins = [
    (at: number) => JSON.stringify({ name: `p${at}`, hooks: JSON.parse(many(20)).hooks }),
    (at: number) => (at % 20 === 1 ? deep(100_000) : deep(200)),
    (at: number) => JSON.stringify(Object.fromEntries(Array.from({ length: at * 100 }, (_, key) => [`k${key}`, 1]))),
    (at: number) => JSON.stringify({ name: `p${at}`, keywords: Array(at * 20).fill(7) }),
  ];
  for (let at = 0; at < each; at++) {
    const shape = shapes[at % shapes.length] ?? (() => '');
    files.set(`.github/hooks/h${at}.json`, shape(at));
    files.set(
      `.github/instructions/i${at}.instructions.md`,
      `---\napplyTo: "${'*a'.repeat(40)}{${'a,'.repeat(200)}b}"\n---\n${'x '.repeat(2_000)}`,
    );
    files.set(`.github/prompts/p${at}.prompt.md`, `---\n${bomb}---\nDo it.\n`);
    files.set(`.github/agents/a${at}.agent.md`, `---\nname: a${at}\ndescription: ${'x'.repeat(30_000)}\n---\nDo it.\n`);
    files.set(
      `.claude/skills/s${at}/SKILL.md`,
      `---\nname: s${at}\ndescription: |\n${'  x\n'.repeat(3_000)}---\nDo it.\n`,
    );
    files.set(`.claude/agents/c${at}.md`, `---\n${'a: [[[[[[[[[[\n'.repeat(50)}---\n`);
    const manifest = plugins[at % plugins.length] ?? (() => '');
    files.set(`.midcourse/plugins/p${at}/${at % 2 === 0 ? '.claude-plugin/' : ''}plugin.json`, manifest(at));
    if (at % 40 === 0) files.set(`.midcourse/plugins/p${at}/hooks/hooks.json`, many(4_000));
  }
  return files;
}

/** Writes them, with links to what has no end and names with controls. */
export async function writeHostile(folder: string, amount: Amount): Promise<number> {
  const files = hostileFiles(amount);
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink('/dev/zero', join(folder, '.github/hooks/zero.json'));
  await symlink('.', join(folder, '.claude/skills/loop'));
  await writeFile(join(folder, '.github/hooks/a\u001b[31m\u202e.json'), many(1));
  return files.size + 3;
}
