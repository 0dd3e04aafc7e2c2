import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ApprovalsStore } from '../../src/editor/approvals-store.ts';
import { OutputLog } from '../../src/editor/log.ts';
import { Models } from '../../src/editor/models.ts';
import { Secrets } from '../../src/editor/secrets.ts';
import { Settings } from '../../src/editor/settings.ts';
import { Workspace } from '../../src/editor/workspace.ts';
import { configure, midcourse, until } from './support.ts';

describe('settings', () => {
  let settings: Settings;

  beforeEach(() => {
    settings = new Settings();
  });
  afterEach(() => settings.dispose());

  it('uses the default of a value that does not fit, and names the setting in words', async () => {
    await configure('budget.requests', 'many');
    try {
      assert.equal(settings.get('budget.requests'), 90);
      const [problem] = settings.problems();
      assert.match(problem?.message ?? '', /midcourse\.budget\.requests does not fit/);
    } finally {
      await configure('budget.requests', undefined);
    }
    assert.deepEqual(settings.problems(), []);
  });

  it('says where in a provider the mistake is', async () => {
    await configure('providers', { mine: { api: 'openai-chat', baseUrl: 'not an address' } });
    try {
      assert.deepEqual(settings.get('providers'), {});
      assert.match(settings.problems()[0]?.message ?? '', /mine\.baseUrl/);
    } finally {
      await configure('providers', undefined);
    }
  });

  it('follows a change at once', async () => {
    const changed = new Promise<void>((resolve) => settings.onDidChange(resolve));
    assert.equal(settings.get('busyInput'), 'steer');
    await configure('busyInput', 'queue');
    await changed;
    assert.equal(settings.get('busyInput'), 'queue');
    await configure('busyInput', undefined);
  });
});

describe('models and keys', () => {
  const log = new OutputLog();
  let settings: Settings;
  let models: Models;
  const stored = new Map<string, string>();
  const secrets = new Secrets(memoryStorage(stored));

  beforeEach(() => {
    settings = new Settings();
    models = new Models({
      settings,
      secrets,
      log,
      memory: new Forgetful(),
      limitsFile: join(tmpdir(), 'midcourse-no-limits.json'),
      folder: () => undefined,
    });
  });
  afterEach(async () => {
    await models.close();
    settings.dispose();
  });
  after(() => log.dispose());

  it('says which provider a model name does not have', async () => {
    const resolved = await models.resolve('nowhere/model');
    assert.ok('error' in resolved);
    assert.equal(resolved.error.kind, 'model_not_found');
    assert.match(resolved.error.message, /nowhere\/model names no provider/);
    assert.equal(resolved.error.action, 'midcourse.selectModel');
  });

  it('asks for a key before it sends anything to an API that wants one', async () => {
    const before = process.env.ANTHROPIC_API_KEY;
    delete process.env.ANTHROPIC_API_KEY;
    try {
      const resolved = await models.resolve('anthropic/claude-sonnet-4-5');
      assert.ok('error' in resolved);
      assert.equal(resolved.error.kind, 'auth');
      assert.equal(resolved.error.action, 'midcourse.setApiKey');
    } finally {
      if (before !== undefined) process.env.ANTHROPIC_API_KEY = before;
    }
  });

  it('asks with a stored key before one of the environment, and forgets it when it is set to nothing', async () => {
    process.env.MIDCOURSE_TEST_KEY = 'from-env';
    const variables = ['MIDCOURSE_TEST_KEY'];
    assert.deepEqual(await secrets.keys('mine', variables), ['from-env']);
    await secrets.setKeys('mine', [' stored ']);
    assert.deepEqual(await secrets.keys('mine', variables), ['stored', 'from-env']);
    await secrets.setKeys('mine', ['']);
    assert.deepEqual(await secrets.keys('mine', variables), ['from-env']);
    delete process.env.MIDCOURSE_TEST_KEY;
    assert.equal(stored.size, 0);
  });

  it('always has a model: without any other the practice model', async () => {
    const groups = await models.groups();
    assert.ok(groups.flatMap((group) => group.models).some((model) => model.ref === 'practice/rehearsal'));
    const resolved = await models.resolve('practice/rehearsal');
    assert.ok(!('error' in resolved));
    assert.equal((await models.inUse('practice/rehearsal')).practice, true);
  });

  it('keeps a key that the command was given out of the settings', async () => {
    await midcourse();
    assert.equal(await vscode.commands.executeCommand('midcourse.setApiKey', { provider: 'mine', key: 'sk-1' }), true);
    const all = JSON.stringify(vscode.workspace.getConfiguration('midcourse'));
    assert.equal(all.includes('sk-1'), false);
    await vscode.commands.executeCommand('midcourse.setApiKey', { provider: 'mine', key: '' });
  });
});

describe('allowed actions', () => {
  it('are stored for the workspace in the settings, count at once, and can be revoked', async () => {
    const log = new OutputLog();
    const settings = new Settings();
    const workspace = new Workspace();
    const approvals = new ApprovalsStore(settings, workspace, log);
    assert.equal(approvals.isAlwaysAllowed('run:npm test'), false);
    approvals.allowAlways('run:npm test', 'npm test');
    assert.equal(approvals.isAlwaysAllowed('run:npm test'), true, 'before the settings are written');
    const [rule] = await until(() => (approvals.list().length > 0 ? approvals.list() : undefined));
    assert.ok(rule);
    assert.deepEqual([rule.key, rule.words, rule.workspace], ['run:npm test', 'npm test', workspace.key()]);
    await approvals.revoke(rule);
    assert.equal(approvals.isAlwaysAllowed('run:npm test'), false);
    assert.deepEqual(approvals.list(), []);
    workspace.dispose();
    settings.dispose();
    log.dispose();
  });
});

class Forgetful implements vscode.Memento {
  keys(): readonly string[] {
    return [];
  }
  get(): undefined {
    return undefined;
  }
  async update(): Promise<void> {}
}

function memoryStorage(stored: Map<string, string>): vscode.SecretStorage {
  const changed = new vscode.EventEmitter<vscode.SecretStorageChangeEvent>();
  return {
    get: async (key) => stored.get(key),
    keys: async () => [...stored.keys()],
    store: async (key, value) => {
      stored.set(key, value);
      changed.fire({ key });
    },
    delete: async (key) => {
      stored.delete(key);
      changed.fire({ key });
    },
    onDidChange: changed.event,
  };
}
