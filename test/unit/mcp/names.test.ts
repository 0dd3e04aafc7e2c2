import assert from 'node:assert/strict';
import { pluginServerName, toolName } from '../../../src/agent/mcp/index.ts';
import { toolNames } from '../../../src/agent/mcp/names.ts';

describe('names of MCP tools', () => {
  it('are made of the server and the tool, in characters that every provider takes', () => {
    assert.equal(toolName('files', 'read_file'), 'mcp__files__read_file');
    assert.equal(toolName('my server', 'läs.fil'), 'mcp__my_server__l_s_fil');
    assert.equal(toolName(pluginServerName('review', 'git'), 'diff'), 'mcp__plugin_review_git__diff');
  });

  it('have 64 characters at most, and long ones stay apart and the same', () => {
    const long = 'x'.repeat(70);
    const names = [toolName(long, 'one'), toolName(long, 'two')];
    for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{64}$/);
    assert.notEqual(names[0], names[1]);
    assert.equal(toolName(long, 'one'), names[0]);
  });

  it('of two tools that would be called alike the plain one keeps its name', () => {
    const names = toolNames('s', ['a.b', 'a_b', 'a/b']);
    assert.equal(names.get('a_b'), 'mcp__s__a_b');
    assert.equal(new Set(names.values()).size, 3);
    assert.deepEqual(toolNames('s', ['a/b', 'a.b', 'a_b']).get('a.b'), names.get('a.b'));
  });
});
