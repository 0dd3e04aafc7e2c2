import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ApprovalsStore } from '../../src/editor/approvals-store.ts';
import { OutputLog } from '../../src/editor/log.ts';
import { Models } from '../../src/editor/models.ts';
import { Secrets } from '../../src/editor/secrets.ts';
import { Settings } from '../../src/editor/settings.ts';
import { Workspace } from '../../src/editor/workspace.ts';
import { ModelServer } from '../model-server/index.ts';
import { configure, midcourse, until } from './support.ts';

/** It is the extension's own channel, by its name: to close it would be to close that one. */
const log = new OutputLog();

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

  it('K8a. leaves out what does not fit of the providers, names its place, and the rest counts', async () => {
    const good = { api: 'openai-chat', baseUrl: 'http://127.0.0.1:9' };
    await configure('providers', {
      good,
      mine: { api: 'openai-chat', baseUrl: 'not an address' },
      slow: { ...good, staleTimeout: 1 },
    });
    try {
      assert.deepEqual(settings.get('providers'), { good, slow: good });
      const [problem] = settings.problems();
      assert.match(problem?.message ?? '', /the rest counts\. .*mine\.baseUrl: .*slow\.staleTimeout: /);
      assert.match(settings.refused('providers', 'mine') ?? '', /mine\.baseUrl/);
      assert.equal(settings.refused('providers', 'slow'), undefined);
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
  let settings: Settings;
  let models: Models;
  let folder: string;
  const stored = new Map<string, string>();
  const secrets = new Secrets(memoryStorage(stored));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'midcourse-models-'));
    settings = new Settings();
    models = new Models({
      settings,
      secrets,
      log,
      memory: memento(),
      limitsFile: join(folder, 'limits.json'),
      folder: () => undefined,
    });
  });
  afterEach(async () => {
    await models.close();
    settings.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

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

  it('resolves a provider that is known by name, with its window, its price and what it can be asked to think', async () => {
    await configure('effort', 'max');
    await secrets.setKeys('openai', ['sk-1', 'sk-2']);
    try {
      const resolved = await models.resolve('openai/gpt-5.4');
      assert.ok(!('error' in resolved));
      assert.deepEqual(
        [resolved.contextWindow, resolved.price?.input, resolved.effort, resolved.vision, resolved.key],
        [1_050_000, 2.5, 'xhigh', true, 0],
      );
      const used = await models.inUse('openai/gpt-5.4');
      assert.deepEqual([used.effort, used.efforts?.at(-1)], ['xhigh', 'xhigh']);
      const next = await models.rotate(resolved, { kind: 'billing', message: '', detail: '', retryable: false }, false);
      assert.equal(next?.key, 1);
      assert.notEqual(next?.wire, resolved.wire);
    } finally {
      await secrets.setKeys('openai', []);
      await configure('effort', undefined);
    }
  });

  it('asks for the address of a provider where everybody has an own one', async () => {
    const resolved = await models.resolve('azure/gpt-5');
    assert.ok('error' in resolved);
    assert.match(resolved.error.message, /NAME\.openai\.azure\.com/);
    assert.equal(resolved.error.action, 'midcourse.openSettings');
  });

  it('goes on with the chain, with what the server says of a model, and keeps what a refusal taught', async () => {
    const server = await ModelServer.start();
    server.settings.lists = { '/models': { data: [{ id: 'spare', context_length: 99_000 }] } };
    await configure('providers', { fake: { baseUrl: server.openAiBaseUrl } });
    await configure('fallback', ['fake/spare']);
    try {
      const chosen = await models.resolve('fake/first');
      assert.ok(!('error' in chosen));
      assert.equal(chosen.contextWindow, 256_000, 'nobody says');
      models.learn('fake/first', { contextWindow: 131_072 });
      const taught = await models.resolve('fake/first');
      assert.ok(!('error' in taught));
      assert.equal(taught.contextWindow, 131_072);
      const spare = await models.fallback([chosen], { kind: 'overloaded', message: '', detail: '', retryable: true });
      assert.deepEqual([spare?.ref, spare?.contextWindow], ['fake/spare', 99_000]);
    } finally {
      await configure('fallback', undefined);
      await configure('providers', undefined);
      await server.close();
    }
  });

  it('lists what servers have, and first what was chosen before, each once', async () => {
    const server = await ModelServer.start();
    server.settings.models = ['one', 'two'];
    await configure('providers', {
      fake: { baseUrl: server.openAiBaseUrl, models: { three: { contextWindow: 5000 } } },
    });
    try {
      await models.choose('fake/two');
      const groups = await models.groups();
      assert.deepEqual(
        groups[0]?.models.map(({ ref }) => ref),
        ['fake/two'],
      );
      const offered = groups.find(({ label }) => label === 'fake')?.models ?? [];
      assert.deepEqual(
        offered.map(({ ref, contextWindow }) => [ref, contextWindow]),
        [
          ['fake/three', 5000],
          ['fake/one', undefined],
        ],
      );
    } finally {
      await configure('model', undefined);
      await configure('providers', undefined);
      await server.close();
    }
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
  });
});

function memento(): vscode.Memento {
  const kept = new Map<string, unknown>();
  return {
    keys: () => [...kept.keys()],
    get: <T>(key: string) => kept.get(key) as T,
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
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
