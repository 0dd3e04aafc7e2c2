import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes everything into a repository that would run something with a turn: hooks of each system, a server, a plugin.
 *
 * @param mark a command that leaves a mark of that name
 */
export async function bringEverything(folder: string, mark: (name: string) => string): Promise<void> {
  const write = async (name: string, content: string | object): Promise<void> => {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    if (typeof content === 'string' && content.startsWith('#!')) await chmod(file, 0o755);
  };
  const nested = (name: string): object => ({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: mark(name) }] }] },
  });
  await write('.claude/settings.json', nested('claude'));
  await write('.claude/settings.local.json', nested('claude-local'));
  await write('.codex/hooks.json', nested('codex'));
  await write('.github/hooks/vscode.json', {
    hooks: { UserPromptSubmit: [{ type: 'command', command: mark('vscode') }] },
  });
  await write('.github/hooks/copilot.json', {
    version: 1,
    hooks: { userPromptSubmitted: [{ type: 'command', bash: mark('copilot') }] },
  });
  await write('.hermes/config.yaml', `hooks:\n  pre_llm_call:\n    - command: ${mark('hermes')}\n`);
  await write('.clinerules/hooks/UserPromptSubmit', `#!/bin/sh\n${mark('cline')}\necho '{}'\n`);
  const lasting = (name: string): object => ({ command: 'sh', args: ['-c', `${mark(name)}; exec cat`] });
  await write('.mcp.json', { mcpServers: { marker: lasting('mcp') } });
  await write('.midcourse/plugins/marker/plugin.json', {
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name: 'marker',
    version: '1.0.0',
    description: 'Leaves a mark.',
    main: './index.mjs',
  });
  await write(
    '.midcourse/plugins/marker/index.mjs',
    `import { execSync } from 'node:child_process';
export function register(ctx) {
  ctx.registerHook('pre_llm_call', () => execSync(${JSON.stringify(mark('plugin'))}) && undefined);
}
`,
  );
  await write('.midcourse/plugins/marker/.lsp.json', {
    marker: { ...lasting('lsp'), extensionToLanguage: { '.ts': 'typescript' } },
  });
}
