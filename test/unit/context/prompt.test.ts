import assert from 'node:assert/strict';
import { systemPrompt } from '../../../src/agent/context/index.ts';

const facts = {
  of: 'session',
  folders: ['/home/me/shop'],
  toolsOff: undefined,
  platform: 'linux',
  shell: '/bin/bash',
} as const;

describe('the system prompt', () => {
  it('has the same bytes every time, whenever it is made', () => {
    const first = systemPrompt(facts);
    assert.equal(systemPrompt({ ...facts }), first);
    assert.equal(/\b20\d\d\b/.test(first), false, 'it holds no date');
  });

  it('names folders, system and shell', () => {
    const prompt = systemPrompt({ ...facts, folders: ['/a', '/b'] });
    assert.match(prompt, /Workspace folders:\n- a \(\/a\)\n- b \(\/b\)/);
    assert.match(prompt, /start in \/a\./);
    assert.match(prompt, /Linux\. Shell: \/bin\/bash/);
  });

  it('says why there are no tools, and asks for none then', () => {
    const prompt = systemPrompt({ ...facts, folders: [], toolsOff: 'This workspace is not trusted.' });
    assert.match(prompt, /This workspace is not trusted\./);
    assert.equal(prompt.includes('write_file'), false);
  });

  it('of a delegated agent speaks of no tool that it has not', () => {
    const of = (whom: 'session' | 'child') => systemPrompt({ ...facts, of: whom });
    for (const tool of ['delegate', 'ask_user', 'todo']) {
      assert.match(of('session'), new RegExp(`\\b${tool}\\b`));
      assert.doesNotMatch(of('child'), new RegExp(`\\b${tool}\\b`));
    }
    assert.match(of('child'), /Workspace folder: \/home\/me\/shop/);
  });
});
