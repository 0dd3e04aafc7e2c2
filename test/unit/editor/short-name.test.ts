import assert from 'node:assert/strict';
import { shortName } from '../../../src/editor/hooks/short-name.ts';

describe('a hook in a narrow line', () => {
  it('is named without the project, which most of them begin with', () => {
    for (const project of ['"$CLAUDE_PROJECT_DIR"/', '$CLAUDE_PROJECT_DIR/', `"\${CLAUDE_PROJECT_DIR}"/`]) {
      assert.equal(shortName(`${project}.claude/hooks/no-push.sh`), '.claude/hooks/no-push.sh');
    }
  });

  it('keeps both ends of a long command', () => {
    assert.equal(shortName('node --experimental-something ./scripts/check.mjs'), 'node --exper…pts/check.mjs');
  });
});
