import assert from 'node:assert/strict';
import { rulesOf } from '../../../src/agent/hooks/dialects/index.ts';
import { hookEvents } from '../../../src/agent/hooks/index.ts';
import { samplePayload } from '../../../src/agent/hooks/sample-payload.ts';

describe('the sample that a hook is tried with', () => {
  const facts = { cwd: '/project', model: 'fake/model' };

  it('is there for every event, with what all payloads have', () => {
    for (const event of hookEvents) {
      const payload = samplePayload({ event, matches: () => true }, facts);
      assert.equal(payload.schema, 'midcourse.hooks.v1', event);
      assert.equal(payload.cwd, '/project', event);
      assert.doesNotThrow(() => JSON.stringify(payload), event);
    }
  });

  it('is of a tool that the hook wants to see, where one of them is', () => {
    const wants = (tool: string) => (payload: object) => 'tool_name' in payload && payload.tool_name === tool;
    const ofEdit = samplePayload({ event: 'pre_tool_call', matches: wants('patch') }, facts);
    assert.ok('tool_name' in ofEdit && ofEdit.tool_name === 'patch');
    const ofNone = samplePayload({ event: 'pre_tool_call', matches: wants('unheard_of') }, facts);
    assert.ok('tool_name' in ofNone && ofNone.tool_name === 'terminal');
  });

  it('can be written on stdin by the dialects', async () => {
    const surroundings = { home: '/home/someone', folders: ['/project'], transcriptPath: async () => undefined };
    const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } });
    for (const dialect of ['claude', 'codex'] as const) {
      const rules = rulesOf(dialect);
      const [hook] = rules.readConfig(text).hooks;
      assert.ok(hook);
      const payload = samplePayload({ event: 'pre_tool_call', matches: (of) => rules.matches(hook, of) }, facts);
      const stdin = await rules.stdin(hook, payload, surroundings);
      assert.equal(stdin.hook_event_name, 'PreToolUse');
      assert.equal(stdin.tool_name, 'Bash');
    }
  });
});
