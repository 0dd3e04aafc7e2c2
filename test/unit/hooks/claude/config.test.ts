import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, it } from 'mocha';
import { claudeRules } from '../../../../src/agent/hooks/dialects/claude/index.ts';
import { declared } from './payloads.ts';

const seconds = (event: string, handler: object = {}) => declared(event, handler).timeout / 1000;
const asks = { type: 'prompt', prompt: 'Is it done?', command: undefined };
const posts = { type: 'http', url: 'http://127.0.0.1:9/hook', command: undefined };

describe('settings of Claude Code', () => {
  it('are read past everything that is not about hooks', () => {
    const text = '{ "permissions": { "allow": [] }, "env": {}, "model": "opus" }';
    deepEqual(claudeRules.readConfig(text), { hooks: [], warnings: [] });
  });

  it('give each hook its place and its offset in the file', () => {
    const text = JSON.stringify({
      hooks: {
        Stop: [
          {
            hooks: [
              { type: 'command', command: 'a' },
              { type: 'command', command: 'b' },
            ],
          },
        ],
      },
    });
    const [first, second] = claudeRules.readConfig(text).hooks;
    deepEqual([first?.place, second?.place], ['Stop[0].hooks[0]', 'Stop[0].hooks[1]']);
    equal(text.slice(second?.offset).startsWith('{"type":"command","command":"b"'), true);
  });

  it('that are no JSON are broken, with the line', () => {
    match(claudeRules.readConfig('{\n "hooks": {,}\n}').broken ?? '', /line 2/);
  });

  it('with an event that is no list leave the others as they are', () => {
    const read = claudeRules.readConfig(
      JSON.stringify({ hooks: { Stop: 'x', PreToolUse: [{ hooks: [{ type: 'command', command: 'a' }] }] } }),
    );
    equal(read.hooks.length, 1);
    match(read.warnings.join(), /Stop is no list/);
  });

  it('list a handler that cannot be read instead of passing over it', () => {
    match(declared('Stop', { command: 5 }).broken ?? '', /command/);
    match(declared('Stop', { type: 'magic' }).broken ?? '', /type magic/);
    const flat = claudeRules.readConfig('{ "hooks": { "Stop": [{ "type": "command", "command": "a" }] } }');
    match(flat.hooks[0]?.broken ?? '', /stands in a group/);
  });

  it('say of events that do not fire here why, and of unknown ones which is near', () => {
    match(declared('FileChanged').unsupported ?? '', /PostToolUse/);
    match(declared('PretoolUse').unsupported ?? '', /Is PreToolUse meant\?/);
    match(declared('Interrupt').unsupported ?? '', /\.codex\/hooks\.json/);
    equal(declared('Interrupt').event, undefined);
  });

  it('have a limit for each kind and event', () => {
    deepEqual([seconds('PreToolUse'), seconds('PreToolUse', asks), seconds('UserPromptSubmit')], [600, 30, 30]);
    deepEqual([seconds('MessageDisplay'), seconds('SessionEnd'), seconds('Stop', posts)], [10, 1.5, 600]);
    deepEqual([seconds('PreToolUse', { timeout: 5 }), seconds('SessionEnd', { timeout: 90 })], [5, 60]);
  });

  it('with a limit that is no number keep the usual one, with a warning', () => {
    const hook = declared('PreToolUse', { timeout: 'soon' });
    equal(hook.timeout, 600_000);
    match(hook.warnings.join(), /no number of seconds/);
  });

  it('switch everything off by disableAllHooks, visibly', () => {
    const text = JSON.stringify({
      disableAllHooks: true,
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'a' }] }] },
    });
    const read = claudeRules.readConfig(text);
    equal(read.disablesAll, true);
    match(read.hooks[0]?.broken ?? '', /disableAllHooks/);
  });

  it('hold HTTP hooks to allowedHttpHookUrls and httpHookAllowedEnvVars', () => {
    const of = (url: string) =>
      claudeRules.readConfig(
        JSON.stringify({
          allowedHttpHookUrls: ['https://hooks.example.org/*'],
          httpHookAllowedEnvVars: ['A'],
          hooks: { Stop: [{ hooks: [{ type: 'http', url, allowedEnvVars: ['A', 'B'] }] }] },
        }),
      ).hooks[0];
    match(of('https://elsewhere.example.org/x')?.broken ?? '', /allowedHttpHookUrls/);
    const allowed = of('https://hooks.example.org/x');
    equal(allowed?.broken, undefined);
    deepEqual(allowed?.handler.type === 'http' && allowed.handler.allowedEnvVars, ['A']);
  });

  it('let nobody wait for a hook that is async', () => {
    deepEqual([declared('PostToolUse').answers, declared('PostToolUse', { async: true }).answers], [true, false]);
    ok(declared('PostToolUse', { asyncRewake: true }).warnings.length > 0);
  });

  it('warn of unknown fields of a handler', () => {
    match(declared('Stop', { tiemout: 5 }).warnings.join(), /tiemout is not known/);
  });

  it('run no agent to judge, and say so', () => {
    match(declared('Stop', { type: 'agent', prompt: 'x', command: undefined }).unsupported ?? '', /type prompt/);
  });
});
