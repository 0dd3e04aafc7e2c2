import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Collection } from '../../../src/agent/customisations/index.ts';
import type { MidcourseApi } from '../../../src/api.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { forgetModel, midcourse, serveModel, workspaceFolder } from '../support.ts';

const files: Readonly<Record<string, string>> = {
  'AGENTS.md': 'RULES OF THE WORKSPACE',
  'below/AGENTS.md': 'RULES OF THE FOLDER BELOW',
  'below/file.txt': 'a file',
  '.claude/skills/migrate/SKILL.md':
    '---\ndescription: How migrations are written\n---\nTHE WHOLE SKILL for $ARGUMENTS',
  '.github/prompts/check.prompt.md': '---\ndescription: Checks\n---\nTHE WHOLE PROMPT FILE',
};

describe('hooks: what files of the workspace say', () => {
  let api: MidcourseApi;
  let server: ModelServer;

  before(async () => {
    for (const [path, text] of Object.entries(files)) await write(path, text);
    api = await midcourse();
    server = await serveModel();
  });
  beforeEach(() => server.reset());
  after(async () => {
    await forgetModel(server);
    const tops = new Set(Object.keys(files).map((path) => join(workspaceFolder(), path.split('/')[0] ?? path)));
    for (const top of tops) await rm(top, { recursive: true, force: true });
  });

  it('instructions and skills stand in the first request; a folder’s own follow the first look into it', async () => {
    const read = { name: 'read_file', input: { path: 'below/file.txt' } };
    server.script({ steps: [{ call: { id: 'r1', ...read } }] }, { steps: [{ text: 'Read.' }] });
    const session = await api.sessions.create();
    session.send('Look');
    await session.settled();
    const first = await bodyOf(0);
    assert.match(first, /RULES OF THE WORKSPACE/);
    assert.match(first, /- migrate: How migrations are written/);
    assert.doesNotMatch(first, /THE WHOLE SKILL|RULES OF THE FOLDER BELOW|THE WHOLE PROMPT FILE/);
    assert.match(await bodyOf(1), /a file[\s\S]*RULES OF THE FOLDER BELOW/);
  });

  it('a skill is loaded by the tool', async () => {
    server.script(
      { steps: [{ call: { id: 's1', name: 'skill', input: { name: 'migrate', arguments: 'totals' } } }] },
      { steps: [{ text: 'Loaded.' }] },
    );
    const session = await api.sessions.create();
    session.send('Migrate');
    await session.settled();
    assert.match(await bodyOf(1), /THE WHOLE SKILL for totals/);
  });

  it('the system prompt of a session keeps its bytes while a file changes, and the next session has the new one', async () => {
    server.script({ steps: [{ text: 'One' }] }, { steps: [{ text: 'Two' }] }, { steps: [{ text: 'Three' }] });
    const session = await api.sessions.create();
    session.send('First');
    await session.settled();
    await write('AGENTS.md', 'OTHER RULES OF THE WORKSPACE');
    session.send('Second');
    await session.settled();
    assert.equal(systemOf(await server.request(1)), systemOf(await server.request(0)));
    const next = await api.sessions.create();
    next.send('Third');
    await next.settled();
    assert.match(systemOf(await server.request(2)), /OTHER RULES/);
    await write('AGENTS.md', files['AGENTS.md'] ?? '');
  });

  it('a text that another extension sends is not looked at for slash commands', async () => {
    server.script({ steps: [{ text: 'Plain.' }] });
    const session = await api.sessions.create();
    session.send('/check');
    await session.settled();
    const body = await bodyOf(0);
    assert.match(body, /\/check/);
    assert.doesNotMatch(body, /THE WHOLE PROMPT FILE/);
  });

  it('all of them are listed, and one that cannot be used with its reason', async () => {
    await write('.github/prompts/empty.prompt.md', '---\ndescription: Nothing\n---\n');
    const listed = await vscode.commands.executeCommand<Collection>('midcourse.showCustomisations', { list: true });
    const named = [...listed.instructions, ...listed.skills, ...listed.commands].map(({ name }) => name);
    for (const name of ['AGENTS.md', 'migrate', 'check']) assert.ok(named.includes(name), name);
    const broken = listed.unused.find(({ path }) => path.endsWith('empty.prompt.md'));
    assert.match(broken?.why ?? '', /it is empty/);
  });

  const bodyOf = async (index: number) => JSON.stringify((await server.request(index)).body);
});

async function write(path: string, text: string): Promise<void> {
  const at = join(workspaceFolder(), path);
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, text);
}

function systemOf(request: { readonly body: unknown }): string {
  const { messages } = request.body as {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  return messages.find(({ role }) => role === 'system')?.content ?? '';
}
