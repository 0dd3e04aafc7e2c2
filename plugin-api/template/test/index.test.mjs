// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWords, register } from '../index.mjs';

/** What `register` is given, as far as this plugin uses it. */
function testContext() {
  const hooks = new Map();
  const tools = new Map();
  const commands = new Map();
  const state = new Map();
  return {
    hooks,
    tools,
    commands,
    plugin: { id: 'my-plugin', version: '0.1.0', root: '.' },
    config: { forbidden: ['git push --force'] },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    state: { get: (key) => state.get(key), set: async (key, value) => void state.set(key, value) },
    registerHook: (event, handler) => hooks.set(event, handler),
    registerTool: (tool) => tools.set(tool.name, tool),
    registerCommand: (command) => commands.set(command.name, command),
  };
}

/** @returns {ReturnType<typeof testContext>} */
function registered() {
  const context = testContext();
  register(/** @type {any} */ (context));
  return context;
}

test('a forbidden command is blocked, another one is not', () => {
  const ask = registered().hooks.get('pre_tool_call');
  assert.match(ask({ tool_input: { command: 'git push --force origin' } }).block, /forbidden/);
  assert.equal(ask({ tool_input: { command: 'git status' } }), undefined);
});

test('stops are counted, and the command tells how many', async () => {
  const { hooks, commands } = registered();
  await hooks.get('agent_loop_stopped')({ reason: 'user_stop', phase: 'tool' });
  assert.match(commands.get('my-plugin').run('').message, /1 times/);
});

test('words are counted', () => {
  assert.equal(countWords(' one two\nthree '), 3);
  assert.equal(registered().tools.get('count_words').run({ text: 'one two' }), '2 words');
});
