import assert from 'node:assert/strict';
import { shortHookName } from '../../../src/protocol/index.ts';

describe('a hook in a narrow line', () => {
  it('is named without the project, which most of them begin with', () => {
    for (const project of ['"$CLAUDE_PROJECT_DIR"/', '$CLAUDE_PROJECT_DIR/', `"\${CLAUDE_PROJECT_DIR}"/`]) {
      assert.equal(shortHookName(`${project}.claude/hooks/no-push.sh`, 28), '.claude/hooks/no-push.sh');
    }
  });

  it('keeps both ends of a long command', () => {
    assert.equal(shortHookName('node --experimental-something ./scripts/check.mjs', 28), 'node --exper…pts/check.mjs');
  });
});
