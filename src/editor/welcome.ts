import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ModelInUse, Welcome } from '../protocol/index.ts';
import type { Core } from './core.ts';

/** What an empty session offers: tasks that fit this workspace, and the model in use or how to get one. */
export function welcome(core: Core, model: ModelInUse): Welcome {
  return { suggestions: suggestions(core), modelHint: modelHint(core, model) };
}

function modelHint(core: Core, model: ModelInUse): Welcome['modelHint'] {
  const choose = { label: vscode.l10n.t('Select model'), command: 'midcourse.selectModel' };
  const addKey = { label: vscode.l10n.t('Add a key'), command: 'midcourse.setApiKey' };
  if (model.practice) {
    return {
      text: vscode.l10n.t(
        'The practice model answers: a scripted rehearsal with real edits and real commands. For real work select a model or add a key.',
      ),
      actions: [
        choose,
        addKey,
        { label: vscode.l10n.t('Practice in a sample folder'), command: 'midcourse.startPractice' },
      ],
    };
  }
  const { toolsOff } = core.workspace.facts();
  const text = vscode.l10n.t('{0} answers.', model.label);
  if (toolsOff === undefined) return { text, actions: [choose] };
  const folder = vscode.workspace.workspaceFolders?.length
    ? { label: vscode.l10n.t('Manage workspace trust'), command: 'workbench.trust.manage' }
    : { label: vscode.l10n.t('Open a folder'), command: 'vscode.openFolder' };
  return { text: `${text} ${toolsOff}`, actions: [folder, choose] };
}

function suggestions(core: Core): Welcome['suggestions'] {
  const [folder] = core.workspace.facts().folders;
  const overview = {
    title: vscode.l10n.t('Explain this project'),
    prompt: vscode.l10n.t('Explain what this project does, how it is built and where to start reading.'),
  };
  if (folder === undefined) {
    return [
      {
        title: vscode.l10n.t('Plan a small tool'),
        prompt: vscode.l10n.t('Help me plan a small command line tool. Ask me what it should do.'),
      },
    ];
  }
  const tested = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'pom.xml', 'build.gradle', 'Makefile'].some(
    (name) => existsSync(join(folder, name)),
  );
  const tests = tested
    ? {
        title: vscode.l10n.t('Mend the failing tests'),
        prompt: vscode.l10n.t('Run the tests, find out why they fail and mend what is wrong.'),
      }
    : {
        title: vscode.l10n.t('Find unfinished work'),
        prompt: vscode.l10n.t('Look for TODO and FIXME notes and list them with what each would take.'),
      };
  const problems = {
    title: vscode.l10n.t('Clear the problems'),
    prompt: vscode.l10n.t('Read the problems that the editor shows, explain them and mend the ones that are mistakes.'),
  };
  return [overview, tests, problems];
}
