import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import type { CustomisationProvider } from '../../../src/agent/customisations/index.ts';
import { Files } from './files.ts';

const skill = (description: string, more = '', body = 'Do it.') =>
  `---\ndescription: ${description}\n${more}---\n${body}`;

function plugin(id: string, folders: CustomisationProvider['folders']): CustomisationProvider {
  return {
    folders,
    sections: () => [{ source: { is: 'plugin', plugin: id }, title: `Of ${id}`, text: 'Words of the plugin.' }],
    commands: () => [],
    onDidChange: () => ({ dispose() {} }),
  };
}

describe('skills', () => {
  it('are found in the folders of all systems, by the name of their own folder', async () => {
    const places = [
      '.agents',
      '.claude',
      '.github',
      '.midcourse',
      '~/.agents',
      '~/.claude',
      '~/.copilot',
      '~/.midcourse',
    ];
    await using files = await Files.of(
      Object.fromEntries(places.map((place, at) => [`${place}/skills/skill-${at}/SKILL.md`, skill(`of ${place}`)])),
    );
    const names = files.customisations.skills.map(({ name }) => name);
    assert.deepEqual(
      names,
      places.map((_, at) => `skill-${at}`),
    );
  });

  it('stand in the prompt by name and description, but those only for people do not', async () => {
    await using files = await Files.of({
      '.claude/skills/migrate/SKILL.md': skill('Writes migrations', '', 'THE BODY'),
      '.claude/skills/deploy/SKILL.md': skill('Deploys', 'disable-model-invocation: true\n'),
      '.claude/skills/quiet/SKILL.md': skill('For the model alone', 'user-invocable: false\n'),
    });
    const prompt = await files.prompt();
    assert.match(prompt, /- migrate: Writes migrations\n- quiet: For the model alone/);
    assert.doesNotMatch(prompt, /deploy|THE BODY/);
    assert.deepEqual(
      files.customisations.slashCommands.map(({ name }) => name),
      ['deploy', 'migrate'],
    );
  });

  it('L5a. whose description holds a colon and no quotes are used, as in other programs', async () => {
    await using files = await Files.of({
      '.claude/skills/pdf/SKILL.md':
        '---\nname: pdf\ndescription: Use when: a PDF is there. Not for: images\r\nallowed-tools: [a, b]\n---\nBody',
      '.claude/skills/none/SKILL.md': '---\nname: none\ndescription: a: b\n  - c: [\n---\nBody',
    });
    assert.match(await files.prompt(), /- pdf: Use when: a PDF is there\. Not for: images/);
    assert.match(files.whyUnused('.claude/skills/none/SKILL.md') ?? '', /not YAML/);
  });

  it('of the workspace go before those of the user, and those of plugins are called plugin:name', async () => {
    await using files = await Files.of({
      '.agents/skills/review/SKILL.md': skill('of the workspace'),
      '~/.claude/skills/review/SKILL.md': skill('of the user'),
      'plugin/skills/review/SKILL.md': skill('of the plugin'),
    });
    const folder = {
      path: files.path('plugin/skills'),
      holds: 'skills',
      source: { is: 'plugin', plugin: 'acme' },
    } as const;
    files.customisations.provide(plugin('acme', () => [folder]));
    await files.customisations.refresh();
    assert.deepEqual(
      files.customisations.skills.map(({ name, description }) => `${name}: ${description}`),
      ['review: of the workspace', 'acme:review: of the plugin'],
    );
    assert.match(files.whyUnused('~/.claude/skills/review/SKILL.md') ?? '', /already the name of/);
    assert.match(await files.prompt(), /## Of acme\n\nWords of the plugin\./);
  });

  it('that cannot be used are listed with the reason', async () => {
    await using files = await Files.of({
      '.agents/skills/no-words/SKILL.md': '---\nname: no-words\n---\nBody',
      '.agents/skills/two words/SKILL.md': skill('x'),
      [`.agents/skills/${'long'.repeat(20)}/SKILL.md`]: skill('x'),
      '.agents/skills/broken/SKILL.md': '---\ndescription: [\n---\nBody',
      '.agents/skills/open/SKILL.md': '---\ndescription: x\nBody',
    });
    assert.deepEqual(files.customisations.skills, []);
    assert.match(files.whyUnused('.agents/skills/no-words/SKILL.md') ?? '', /no description/);
    assert.match(files.whyUnused('.agents/skills/two words/SKILL.md') ?? '', /cannot be typed/);
    assert.match(files.whyUnused(`.agents/skills/${'long'.repeat(20)}/SKILL.md`) ?? '', /longer than 64/);
    assert.match(files.whyUnused('.agents/skills/broken/SKILL.md') ?? '', /not YAML/);
    assert.match(files.whyUnused('.agents/skills/open/SKILL.md') ?? '', /no closing line/);
  });

  it('are cut in their description after 1024 characters, and that they call themselves otherwise is noted', async () => {
    await using files = await Files.of({
      '.agents/skills/tidy/SKILL.md': skill('w'.repeat(1_100), 'name: cleaner\n'),
    });
    const [found] = files.customisations.skills;
    assert.equal(found?.description.length, 1_024);
    assert.match(found?.notes?.join(' ') ?? '', /calls itself cleaner[\s\S]*cut after 1024/);
  });

  it('in a folder that is a link inside the workspace are found once', async () => {
    await using files = await Files.of({ '.agents/skills/tidy/SKILL.md': skill('Tidies') });
    await files.write('.claude/x', '');
    await symlink('../.agents/skills', files.path('.claude/skills'));
    await files.customisations.refresh();
    assert.deepEqual(
      files.customisations.skills.map(({ name }) => name),
      ['tidy'],
    );
  });
});

describe('prompt files and commands', () => {
  it('are slash commands with their words and hints', async () => {
    await using files = await Files.of({
      '.github/prompts/review.prompt.md':
        '---\ndescription: Reviews\nargument-hint: "[branch]"\nmodel: gpt\n---\nReview $1.',
      '.claude/commands/fix.md': '# Fix what is broken\n\nFix $ARGUMENTS.',
      '.claude/commands/db/seed.md': 'Seed it.',
      '~/.claude/commands/mine.md': 'Mine.',
    });
    const found = files.customisations.slashCommands;
    assert.deepEqual(
      found.map(({ name }) => name),
      ['review', 'fix', 'db:seed', 'mine'],
    );
    const [review, fix] = found;
    assert.equal(review?.argumentHint, '[branch]');
    assert.match(review?.notes?.join() ?? '', /Without effect here: model/);
    assert.equal(fix?.description, 'Fix what is broken');
  });

  it('of a plugin are called plugin:name, from a folder or a file that it names', async () => {
    await using files = await Files.of({
      'plugin/commands/a.md': 'A',
      'plugin/other/b.md': 'B',
      'plugin/other/c.md': 'C',
    });
    const source = { is: 'plugin', plugin: 'acme' } as const;
    files.customisations.provide(
      plugin('acme', () => [
        { path: files.path('plugin/commands'), holds: 'commands', source },
        { path: files.path('plugin/other/b.md'), holds: 'commands', source },
      ]),
    );
    await files.customisations.refresh();
    assert.deepEqual(
      files.customisations.slashCommands.map(({ name }) => name),
      ['acme:a', 'acme:b'],
    );
  });

  it('go before a skill of the same name', async () => {
    await using files = await Files.of({
      '.github/prompts/review.prompt.md': 'Review it.',
      '.agents/skills/review/SKILL.md': skill('Reviews'),
    });
    assert.deepEqual(
      files.customisations.slashCommands.map(({ is }) => is),
      ['prompt'],
    );
  });

  it('that would run commands in another system say that they do not here', async () => {
    await using files = await Files.of({ '.claude/commands/status.md': 'State: !`git status`' });
    assert.match(files.customisations.slashCommands[0]?.notes?.join() ?? '', /are not run/);
  });
});

describe('agents', () => {
  it('are roles with the tools that they name in the words of their system', async () => {
    await using files = await Files.of({
      '.claude/agents/reviewer.md':
        '---\nname: reviewer\ndescription: Reviews code\ntools: Read, Grep, Bash(git diff *), Telepathy\nmodel: sonnet\n---\nYou review.',
      '.github/agents/planner.agent.md':
        "---\ndescription: Plans\ntools: ['search', 'github/*', 'mcp__db__query']\nmodel: openai/gpt-5\n---\nYou plan.",
      '.github/agents/all.agent.md': "---\ndescription: All\ntools: ['*']\n---\nYou do all.",
    });
    const [all, planner, reviewer] = files.customisations.roles;
    assert.deepEqual(reviewer?.tools, ['read_file', 'search_files', 'terminal', 'process']);
    assert.match(reviewer?.notes?.join(' ') ?? '', /no such tools here: Telepathy[\s\S]*sonnet is not written as/);
    assert.equal(reviewer?.model, undefined);
    assert.deepEqual(planner?.tools, ['search_files', 'list_files', 'mcp__github__*', 'mcp__db__query']);
    assert.equal(planner?.model, 'openai/gpt-5');
    assert.equal(all?.tools, undefined);
    assert.match(await files.prompt(), /- planner: Plans\n- reviewer: Reviews code/);
  });

  it('are not offered to an agent, which does not delegate further', async () => {
    await using files = await Files.of({ '.claude/agents/reviewer.md': 'You review.' });
    await files.prompt();
    assert.equal(files.customisations.prompt('s1', 'child'), '');
  });
});
