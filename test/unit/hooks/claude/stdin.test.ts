import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'mocha';
import { claudeRules } from '../../../../src/agent/hooks/dialects/claude/index.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { declared, payload, type Recorded, recorded, surroundings } from './payloads.ts';

async function told(event: string, of: HookPayload): Promise<Recorded> {
  return await claudeRules.stdin(declared(event), of, surroundings);
}

/** Everything that was recorded, but for the path of the transcript, which is ours. */
async function asRecorded(event: string, of: (seen: Recorded) => HookPayload, which = 0): Promise<void> {
  const seen = recorded(event)[which];
  if (!seen) throw new Error(`nothing was recorded of ${event}`);
  const own = await told(event, of(seen));
  deepEqual(own, { ...seen, transcript_path: '/transcripts/session-1.jsonl' });
  deepEqual(Object.keys(own).sort(), Object.keys(seen).sort());
}

/** The id of the prompt that was recorded. */
function asked(seen: Recorded) {
  return { prompt_id: String(seen.prompt_id) };
}

function callOf(seen: Recorded, tool: string, input: object) {
  return { tool_call_id: String(seen.tool_use_id), tool_name: tool, tool_input: input };
}

describe('stdin of Claude Code, compared with what it sent', () => {
  it('SessionStart at the start of a session', () =>
    asRecorded('SessionStart', () => payload('on_session_start', { source: 'startup' })));

  it('SessionStart behind a compaction, with the model', () =>
    asRecorded('SessionStart', (seen) => payload('on_session_start', { source: 'compact' }, asked(seen)), 1));

  it('UserPromptSubmit, without effort', () =>
    asRecorded('UserPromptSubmit', (seen) => {
      const of = { user_message: String(seen.prompt), kind: 'message', item_id: 'i', is_first_turn: true };
      return payload('pre_llm_call', of, asked(seen));
    }));

  it('PreToolUse of Bash', () =>
    asRecorded('PreToolUse', (seen) =>
      payload('pre_tool_call', callOf(seen, 'terminal', { command: 'echo hello', description: 'run' }), asked(seen)),
    ));

  it('PreToolUse of Read, with an absolute path and without our defaults', () =>
    asRecorded(
      'PreToolUse',
      (seen) =>
        payload('pre_tool_call', callOf(seen, 'read_file', { path: 'README.md', offset: 1, limit: 500 }), asked(seen)),
      1,
    ));

  it('PreToolUse of Agent', () =>
    asRecorded(
      'PreToolUse',
      (seen) =>
        payload('pre_tool_call', callOf(seen, 'delegate', { name: 'sub', task: 'SUBTASK please' }), asked(seen)),
      3,
    ));

  it('PostToolUse of Bash, with its output and without our line about the exit', () =>
    asRecorded('PostToolUse', (seen) =>
      payload(
        'post_tool_call',
        {
          ...callOf(seen, 'terminal', { command: 'echo hello', description: 'run' }),
          tool_result: 'hello\n[exit 0]',
          status: 'success',
          duration_ms: Number(seen.duration_ms),
          tool_facts: { command: 'echo hello', exit_code: 0, output: 'hello\n' },
        },
        asked(seen),
      ),
    ));

  it('PostToolUse of Read, with the text of the file', () =>
    asRecorded(
      'PostToolUse',
      (seen) =>
        payload(
          'post_tool_call',
          {
            ...callOf(seen, 'read_file', { path: 'README.md' }),
            tool_result: '1|# Sample\n2|\n3|A small workspace.',
            status: 'success',
            duration_ms: Number(seen.duration_ms),
            tool_facts: { total_lines: 3, ends_with_newline: true },
          },
          asked(seen),
        ),
      1,
    ));

  it('PostToolUse of Agent, as far as Midcourse knows of it', async () => {
    const [, , seen] = recorded('PostToolUse');
    const own = await told(
      'PostToolUse',
      payload('post_tool_call', {
        ...callOf(seen ?? {}, 'delegate', { name: 'sub', task: 'SUBTASK please' }),
        tool_result: 'Sub answer.',
        status: 'success',
        duration_ms: 110,
      }),
    );
    const theirs = seen?.tool_response as Recorded;
    const ours = own.tool_response as Recorded;
    deepEqual(ours, Object.fromEntries(Object.keys(ours).map((key) => [key, theirs[key]])));
    deepEqual(Object.keys(ours), ['status', 'prompt', 'agentType', 'content', 'totalDurationMs']);
  });

  it('PermissionRequest, without an id of the call', async () => {
    const [seen] = recorded('PermissionRequest');
    const own = await told(
      'PermissionRequest',
      payload('pre_approval_request', {
        tool_call_id: 'call-1',
        tool_name: 'WebFetch',
        tool_input: seen?.tool_input,
        summary: 'Use the tool WebFetch',
        why: '',
        choices: ['once', 'always', 'deny'],
      }),
    );
    deepEqual(Object.keys(own).sort(), Object.keys(seen ?? {}).sort());
    deepEqual(own.tool_input, seen?.tool_input);
    deepEqual(Object.keys((own.permission_suggestions as Recorded[])[0] ?? {}), [
      'type',
      'destination',
      'rules',
      'behavior',
    ]);
  });

  it('Stop', () =>
    asRecorded('Stop', (seen) => {
      const of = { attempt: 0, final_response: 'Done.', changed_paths: [] };
      return payload('pre_verify', of, asked(seen));
    }));

  it('Stop of a model that has no effort', () =>
    asRecorded(
      'Stop',
      (seen) => {
        const { effort: _, ...of } = payload('pre_verify', { attempt: 0, final_response: 'Hello.', changed_paths: [] });
        return { ...of, ...asked(seen) };
      },
      1,
    ));

  it('Stop once more, after a hook had the agent go on', async () => {
    const own = await told('Stop', payload('pre_verify', { attempt: 1, final_response: 'Done.', changed_paths: [] }));
    equal(own.stop_hook_active, true);
  });

  it('StopFailure, with the error as the last message', () =>
    asRecorded('StopFailure', (seen) =>
      payload(
        'api_request_error',
        {
          ...{ request_id: 'r', request: 1, attempt: 1, kind: 'sampling', provider: 'anthropic' },
          ...{ error_type: 'bad_request', error_message: '400 scripted refusal', will_retry: false },
        },
        asked(seen),
      ),
    ));

  it('MessageDisplay, one part for each message, with an id of our own', async () => {
    const [seen] = recorded('MessageDisplay');
    const of = payload('on_interim_message', {
      ...{ iteration: 1, provider: 'anthropic', surface: 'chat' },
      ...{ text: 'Run.', already_streamed: true, final: false },
    });
    const own = await told('MessageDisplay', { ...of, ...asked(seen ?? {}), turn_id: String(seen?.turn_id) });
    const ours = { message_id: own.message_id, transcript_path: own.transcript_path };
    deepEqual(own, { ...seen, ...ours });
  });

  it('SubagentStart', () =>
    asRecorded('SubagentStart', (seen) =>
      payload(
        'subagent_start',
        {
          parent_turn_id: 'turn-1',
          child_session_id: String(seen.agent_id),
          child_name: 'sub',
          child_goal: 'SUBTASK please',
          background: false,
        },
        asked(seen),
      ),
    ));

  it('PreCompact, where nothing was asked for', () =>
    asRecorded('PreCompact', (seen) =>
      payload('pre_compact', { trigger: 'manual', custom_instructions: '' }, asked(seen)),
    ));

  it('PostCompact', () =>
    asRecorded('PostCompact', (seen) =>
      payload('post_compact', { trigger: 'manual', summary: 'A summary of the talk.' }, asked(seen)),
    ));

  it('SessionEnd', () =>
    asRecorded('SessionEnd', (seen) => payload('on_session_finalize', { reason: 'window_closed' }, asked(seen))));

  for (const event of ['PreModelSwitch', 'PostModelSwitch'] as const) {
    it(`${event}, with null for what Midcourse does not know`, async () => {
      const [seen] = recorded(event);
      const of = {
        from_model: 'anthropic/claude-opus-5-5',
        to_model: 'anthropic/claude-sonnet-4-5',
        source: 'api',
      } as const;
      const name = event === 'PreModelSwitch' ? 'pre_model_switch' : 'post_model_switch';
      const own = await told(event, payload(name, of));
      deepEqual(Object.keys(own).sort(), Object.keys(seen ?? {}).sort());
      for (const key of ['from_model', 'to_model', 'requested_model', 'source']) equal(own[key], seen?.[key]);
    });
  }

  it('names the role of a delegated agent as its type', async () => {
    const of = payload('subagent_stop', {
      ...{ parent_turn_id: 't', child_session_id: 'c', child_name: 'check it', child_role: 'reviewer' },
      ...{ child_summary: 'Fine.', child_status: 'completed', duration_ms: 1 },
    });
    const own = await told('SubagentStop', of);
    deepEqual([own.agent_type, own.last_assistant_message], ['reviewer', 'Fine.']);
    equal(own.agent_transcript_path, '/transcripts/c.jsonl');
    equal(claudeRules.matches(declared('SubagentStop', {}, { matcher: 'reviewer' }), of), true);
  });

  it('names the session of the user inside a delegated agent, and the agent beside it', async () => {
    const inside = { ...payload('pre_tool_call', callOf({ tool_use_id: 'c' }, 'terminal', { command: 'ls' })) };
    const own = await told('PreToolUse', {
      ...inside,
      session_id: 'child-1',
      parent_session_id: 'session-1',
      agent_id: 'child-1',
      agent_type: 'general-purpose',
    });
    deepEqual([own.session_id, own.agent_id, own.agent_type], ['session-1', 'child-1', 'general-purpose']);
  });

  it('passes tools of MCP servers as they are', async () => {
    const of = payload('pre_tool_call', callOf({ tool_use_id: 'c' }, 'mcp__memory__create', { path: 'a' }));
    const own = await told('PreToolUse', of);
    deepEqual([own.tool_name, own.tool_input], ['mcp__memory__create', { path: 'a' }]);
  });
});
