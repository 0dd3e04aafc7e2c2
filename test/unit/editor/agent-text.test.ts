import assert from 'node:assert/strict';
import { agentText } from '../../../src/editor/agent-text.ts';
import { answer, toolResult, user } from '../../../webview/dev/script.ts';

describe('the transcript of an agent as text', () => {
  it('has its task, what it said, and a line for each call with how it went', () => {
    const text = agentText([
      user('c1', 'Mend the tests\nand nothing else'),
      answer('c1', 1, 'I run them.', [
        { callId: 'a', name: 'terminal', input: { command: 'npm test' } },
        { callId: 'b', name: 'read_file', input: { path: 'a.ts' } },
      ]),
      toolResult('c1', 'a', 'a long output', { label: 'Ran npm test', detail: 'exit 1', durationMs: 1 }, 'error'),
      toolResult('c1', 'b', 'a file', { label: 'Read a.ts', durationMs: 1 }),
      answer('c1', 2, ''),
    ]);
    assert.equal(
      text,
      ['> Mend the tests\n> and nothing else', 'I run them.', '- Ran npm test (exit 1, error)', '- Read a.ts'].join(
        '\n\n',
      ),
    );
  });

  it('is empty before it has begun', () => {
    assert.equal(agentText([]), '');
  });
});
