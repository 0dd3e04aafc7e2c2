/** What files say, in the real loop with a fake model server. */

import assert from 'node:assert/strict';
import { systemPrompt } from '../../../src/agent/context/index.ts';
import { instructedTools } from '../../../src/agent/customisations/index.ts';
import { ToolRegistry } from '../../../src/agent/tools/index.ts';
import { Rig } from '../turn/rig.ts';
import { Files } from './files.ts';

async function rigOf(files: Files): Promise<Rig> {
  const { customisations, folder } = files;
  return await Rig.start('openai-chat', { folders: [folder] }, () => ({
    customisations,
    tools: instructedTools(new ToolRegistry(), customisations),
    systemPrompt: (of = 'session', sessionId) =>
      systemPrompt({
        of,
        customisations: customisations.prompt(sessionId, of),
        folders: [folder],
        toolsOff: undefined,
        platform: 'linux',
        shell: '/bin/bash',
      }),
  }));
}

const bodyOf = async (rig: Rig, index: number) => JSON.stringify((await rig.server.request(index)).body);

describe('what files say, in a turn', () => {
  it('reaches the model with the first request, and the folder’s own with the first result from there', async () => {
    await using files = await Files.of({
      'AGENTS.md': 'RULES OF THE ROOT',
      'src/AGENTS.md': 'RULES OF SRC',
      'src/a.js': 'let a',
      'src/b.js': 'let b',
    });
    const rig = await rigOf(files);
    const read = (id: string, path: string) => ({ steps: [{ call: { id, name: 'read_file', input: { path } } }] });
    rig.server.script(read('c1', 'src/a.js'), read('c2', 'src/b.js'), { steps: [{ text: 'Done' }] });
    const session = rig.agent.create();
    session.send('Look');
    await session.settled();
    assert.match(await bodyOf(rig, 0), /RULES OF THE ROOT/);
    assert.doesNotMatch(await bodyOf(rig, 0), /RULES OF SRC/);
    assert.match(await bodyOf(rig, 1), /let a[\s\S]*Instructions of src\/AGENTS\.md[\s\S]*RULES OF SRC/);
    assert.equal((await bodyOf(rig, 2)).split('RULES OF SRC').length, 2, 'once');
    await rig.close();
  });

  it('loads a skill and a file beside it by the tool, and nothing outside of its folder', async () => {
    await using files = await Files.of({
      '~/.claude/skills/migrate/SKILL.md': '---\ndescription: Migrations\n---\nRead template.sql for $ARGUMENTS.',
      '~/.claude/skills/migrate/template.sql': 'create table',
      '~/.claude/notes.md': 'PRIVATE',
    });
    const rig = await rigOf(files);
    const call = (id: string, input: object) => ({ call: { id, name: 'skill', input } });
    rig.server.script(
      {
        steps: [
          call('c1', { name: 'migrate', arguments: 'totals' }),
          call('c2', { name: 'migrate', file: 'template.sql' }),
          call('c3', { name: 'migrate', file: '../../notes.md' }),
          call('c4', { name: 'fly' }),
        ],
      },
      { steps: [{ text: 'Done' }] },
    );
    const session = rig.agent.create();
    session.send('Migrate');
    await session.settled();
    const results = session.rows().flatMap((row) => (row.role === 'tool' ? [`${row.status}: ${row.displayText}`] : []));
    assert.match(
      results[0] ?? '',
      /^success: Skill migrate\. Its files lie in .*migrate;[\s\S]*template\.sql for totals\./,
    );
    assert.match(results[1] ?? '', /^success: create table/);
    assert.match(results[2] ?? '', /^error: .*outside of the folder/);
    assert.match(results[3] ?? '', /^error: There is no skill "fly"\. The skills are: migrate\./);
    await rig.close();
  });

  it('offers no tool for skills where there are none', async () => {
    await using files = await Files.of({});
    const rig = await rigOf(files);
    const session = rig.agent.create();
    session.send('Hello');
    await session.settled();
    const { tools } = (await rig.server.request(0)).body as {
      readonly tools: readonly { function: { name: string } }[];
    };
    assert.equal(
      tools.some((tool) => tool.function.name === 'skill'),
      false,
    );
    await rig.close();
  });

  it('gives an agent the role that it was delegated with: its prompt and its tools alone', async () => {
    await using files = await Files.of({
      '.claude/agents/reader.md': '---\ndescription: Reads\ntools: Read\n---\nYOU ONLY READ.',
    });
    const rig = await rigOf(files);
    const order = { name: 'look', task: 'Look at a.js', agent: 'Reader' };
    rig.server.script(
      { steps: [{ call: { id: 'c1', name: 'delegate', input: order } }] },
      { steps: [{ text: 'It is empty.' }] },
      { steps: [{ text: 'Done' }] },
    );
    const session = rig.agent.create();
    session.send('Delegate');
    await session.settled();
    const { tools } = (await rig.server.request(1)).body as {
      readonly tools: readonly { function: { name: string } }[];
    };
    assert.deepEqual(
      tools.map((tool) => tool.function.name),
      ['read_file'],
    );
    assert.match(await bodyOf(rig, 1), /## Your role: reader\\n\\nYOU ONLY READ\./);
    await rig.close();
  });

  it('delegates nothing to a role that does not exist, and names those that do', async () => {
    await using files = await Files.of({ '.claude/agents/reader.md': 'You read.' });
    const rig = await rigOf(files);
    const order = { name: 'look', task: 'Look', agent: 'wizard' };
    rig.server.script(
      { steps: [{ call: { id: 'c1', name: 'delegate', input: order } }] },
      { steps: [{ text: 'Done' }] },
    );
    const session = rig.agent.create();
    session.send('Delegate');
    await session.settled();
    const result = session.rows().find(({ role }) => role === 'tool');
    assert.match(result?.displayText ?? '', /no agent "wizard"; nothing was delegated\. There are: reader\./);
    assert.deepEqual(session.childAgents(), []);
    await rig.close();
  });

  it('shows a slash command as it was typed while the model reads what it stands for; retry repeats that', async () => {
    await using files = await Files.of({});
    const rig = await rigOf(files);
    rig.server.script({ steps: [{ text: 'Done' }] }, { steps: [{ text: 'Done again' }] });
    const session = rig.agent.create();
    session.submit('send', '/review src', 'view', { providerText: 'Review src by the rules.' });
    await session.settled();
    const row = session.rows().find(({ role }) => role === 'user');
    assert.deepEqual([row?.displayText, row?.providerText], ['/review src', 'Review src by the rules.']);
    assert.match(await bodyOf(rig, 0), /Review src by the rules\./);
    assert.doesNotMatch(await bodyOf(rig, 0), /\/review src/);
    session.retry();
    await session.settled();
    assert.equal((await bodyOf(rig, 1)).split('Review src by the rules.').length, 3);
    await rig.close();
  });

  it('keeps what a queued slash command stands for over a reload, and forgets it with an edit', async () => {
    await using files = await Files.of({});
    const rig = await rigOf(files);
    rig.server.script({ steps: [{ text: 'Busy' }, { pause: 'p' }] });
    const session = rig.agent.create();
    session.send('Work');
    await rig.server.request(0);
    session.submit('queue', '/fix', 'view', { id: 'q1', providerText: 'Fix everything.' });
    assert.equal(session.item('q1')?.providerText, 'Fix everything.');
    const again = rig.reopen(session.id);
    assert.equal(again.item('q1')?.providerText, 'Fix everything.');
    const revision = again.item('q1')?.revision ?? 0;
    again.edit('q1', 'Just look', revision);
    assert.equal(again.item('q1')?.providerText, undefined);
    await rig.close();
  });
});
