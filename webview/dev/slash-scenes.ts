/** The list of slash commands over the composer. */

import type { SlashEntry } from '../../src/protocol/index.ts';
import { testIds } from '../../src/protocol/index.ts';
import type { Scene } from './scene.ts';
import { snapshot } from './script.ts';

export const slashCommands: readonly SlashEntry[] = [
  { name: 'new', description: 'Start a new session', kind: 'builtin', source: '' },
  { name: 'compact', description: 'Let a summary stand for the conversation so far', kind: 'builtin', source: '' },
  { name: 'model', description: 'Choose the model', kind: 'builtin', source: '' },
  {
    name: 'review',
    description:
      'Review the changes of this branch against the rules of the team, file by file, and say what has to change',
    kind: 'prompt',
    source: 'workspace',
    argumentHint: '[branch or pull request]',
  },
  { name: 'release-notes', description: 'Write the notes of the next release', kind: 'prompt', source: 'workspace' },
  {
    name: 'database-migrations',
    description: 'How migrations are written, named and tested here',
    kind: 'skill',
    source: 'yours',
    argumentHint: '<table>',
  },
  {
    name: 'a-plugin-with-a-long-name:generate-fixtures',
    description: 'Make test data from a schema',
    kind: 'command',
    source: 'plugin a-plugin-with-a-long-name',
    argumentHint: '<schema file> [number of rows]',
  },
];

const manyCommands: readonly SlashEntry[] = Array.from({ length: 90 }, (_, index) => ({
  name: `task-${index + 1}`,
  description: `What is done for task ${index + 1}`,
  kind: 'prompt',
  source: 'workspace',
}));

const typing = (name: string, text: string, commands: readonly SlashEntry[] = slashCommands): Scene => ({
  name,
  messages: () => [snapshot({}), { type: 'slashCommands', commands }],
  act: async (chat) => {
    await chat.testId(testIds.composer).fill(text);
  },
});

export const slashScenes: readonly Scene[] = [
  typing('slash', '/'),
  typing('slash-part', '/re'),
  typing('slash-many', '/ta', manyCommands),
  typing('slash-words', '/review '),
];
