import { deepEqual, equal, match } from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { claudeRules } from '../../../../src/agent/hooks/dialects/claude/index.ts';
import type { Fit, Soon } from '../../../../src/agent/kernel/patterns/index.ts';
import { shellReader } from '../../../../src/agent/safety/index.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { bash, declared, payload } from './payloads.ts';

const edit = call('patch', { path: 'src/a.ts', old_string: 'a', new_string: 'b' });

function call(tool: string, input: object): HookPayload<'pre_tool_call'> {
  return payload('pre_tool_call', { tool_call_id: 'c', tool_name: tool, tool_input: input });
}

function result(status: 'success' | 'error' | 'timeout' | 'blocked' | 'cancelled') {
  const of = {
    tool_call_id: 'c',
    tool_name: 'terminal',
    tool_input: { command: 'ls' },
    tool_result: '',
    duration_ms: 0,
  };
  return payload('post_tool_call', { ...of, status });
}

function matches(matcher: string | undefined, of: HookPayload, event = 'PreToolUse', handler: object = {}): Soon<Fit> {
  return claudeRules.matches(declared(event, handler, matcher === undefined ? {} : { matcher }), of);
}

describe('matchers of Claude Code', () => {
  it('fit everything when absent, empty or a star', () => {
    deepEqual(
      [undefined, '', '*'].map((matcher) => matches(matcher, edit)),
      [true, true, true],
    );
  });

  it('are exact names while they hold only letters, commas and bars', () => {
    deepEqual(
      ['Edit', 'Write|Edit', 'Write, Edit', 'Edi', 'edit', 'NotebookEdit'].map((matcher) => matches(matcher, edit)),
      [true, true, true, false, false, false],
    );
  });

  it('are unanchored regular expressions with any other character', () => {
    deepEqual(
      ['E.it', '^Ed', 'di.?t', '^it', 'mcp__.*'].map((matcher) => matches(matcher, edit)),
      [true, true, true, false, false],
    );
    equal(matches('mcp__memory__.*', call('mcp__memory__create', {})), true);
  });

  it('know tools by the names of Claude Code, older ones as well', () => {
    equal(matches('Bash', bash('ls')), true);
    equal(matches('Task', call('delegate', { name: 'a', task: 'b' })), true);
    equal(matches('Grep', call('search_files', { pattern: 'a' })), true);
    equal(matches('Glob', call('search_files', { pattern: '*.ts', target: 'files' })), true);
    equal(matches('terminal', bash('ls')), false);
  });

  it('are compared with the source of a session, the trigger of a compaction and the kind of a notice', () => {
    const start = payload('on_session_start', { source: 'resume' });
    deepEqual(
      [matches('startup', start, 'SessionStart'), matches('startup|resume', start, 'SessionStart')],
      [false, true],
    );
    const compact = payload('pre_compact', { trigger: 'auto', custom_instructions: '' });
    deepEqual([matches('manual', compact, 'PreCompact'), matches('auto', compact, 'PreCompact')], [false, true]);
    const notice = payload('notification', { message: '', title: '', notification_type: 'idle_prompt' });
    equal(matches('permission_prompt', notice, 'Notification'), false);
  });

  it('have no effect where the event has none, and say so', () => {
    const hook = declared('Stop', {}, { matcher: 'Bash' });
    const stop = payload('pre_verify', { attempt: 0, final_response: '', changed_paths: [] });
    equal(claudeRules.matches(hook, stop), true);
    match(hook.warnings.join(), /Stop has no matcher/);
  });

  it('that are no regular expression break the hook, with the reason', () => {
    match(declared('PreToolUse', {}, { matcher: 'Bash(' }).broken ?? '', /no regular expression/);
  });

  it('PostToolUse is for success only, PostToolUseFailure for what failed, neither for what was stopped or refused', () => {
    const fired = (event: string) =>
      (['success', 'error', 'timeout', 'blocked', 'cancelled'] as const).filter((status) =>
        matches(undefined, result(status), event),
      );
    deepEqual(fired('PostToolUse'), ['success']);
    deepEqual(fired('PostToolUseFailure'), ['error', 'timeout']);
  });

  it('Stop does not fire inside a delegated agent', () => {
    const stop = payload('pre_verify', { attempt: 0, final_response: '', changed_paths: [] });
    equal(matches(undefined, { ...stop, agent_id: 'child' }, 'Stop'), false);
  });

  it('StopFailure fires for the error that ends the turn only', () => {
    const of = {
      request_id: 'r',
      request: 1,
      attempt: 1,
      kind: 'sampling',
      provider: 'p',
      error_type: 'overloaded',
    } as const;
    const error = (will_retry: boolean) => payload('api_request_error', { ...of, error_message: '', will_retry });
    deepEqual(
      [matches('overloaded', error(true), 'StopFailure'), matches('overloaded', error(false), 'StopFailure')],
      [false, true],
    );
  });
});

describe('the "if" of a hook', () => {
  // Until then it answers later.
  before(() => shellReader({ powershell: false }));

  const fits = (rule: string, of: HookPayload) => matches('*', of, 'PreToolUse', { if: rule });

  it('is about commands that begin like it', () => {
    deepEqual(
      ['git status', 'git', 'gitk', 'ls'].map((command) => fits('Bash(git *)', bash(command))),
      [true, true, false, false],
    );
    equal(fits('Bash(npm run test:*)', bash('npm run test -- --watch')), true);
    equal(fits('Bash(npm test)', bash('npm test -- x')), false);
  });

  it('sees each command of a line, also behind variables and wrappers and inside substitutions', () => {
    for (const command of [
      'cd src && git push',
      'FOO=1 git push',
      'timeout 5 git push',
      'echo "$(git push)"',
      'true | git push',
    ]) {
      equal(fits('Bash(git push*)', bash(command)), true, command);
    }
    equal(fits('Bash(git push*)', bash('echo git push')), false);
  });

  it('runs the hook where the command cannot be read', () => {
    equal(fits('Bash(git *)', bash('echo "open')), true);
    equal(fits('Bash(git *)', bash('$TOOL push')), true);
  });

  it('is about files as in a .gitignore', () => {
    deepEqual(
      ['Edit(*.ts)', 'Edit(src/**)', 'Edit(/src/*.ts)', 'Edit(*.md)', 'Write(*.ts)', 'Edit'].map((rule) =>
        fits(rule, edit),
      ),
      [true, true, true, false, false, true],
    );
    equal(fits('Edit(*.ts)', call('write_file', { path: 'a.ts', content: '' })), true);
    equal(fits('Read(*.env)', call('search_files', { pattern: 'x', path: 'a.env' })), true);
    equal(fits('Edit(*.ts)', call('write_file', { path: '/elsewhere/a.ts', content: '' })), false);
  });

  it('runs the hook for every call when it is no rule, and says so', () => {
    equal(fits('git *', bash('ls')), true);
    match(declared('PreToolUse', { if: 'git *' }).warnings.join(), /no permission rule/);
  });
});
