import assert from 'node:assert/strict';
import { maskKeys } from '../../../src/agent/safety/mask-keys.ts';

describe('what a review of consent masks', () => {
  it('is a word that is wholly a key by its form, at its length', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    assert.equal(maskKeys(`Authorization: Bearer ${key}`), `Authorization: Bearer ${'•'.repeat(key.length)}`);
    assert.equal(maskKeys(`TOKEN=${key}`), `TOKEN=${'•'.repeat(key.length)}`);
  });

  it('is never code, whatever stands beside it', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    for (const text of [
      'sh -c "echo -----BEGIN PRIVATE KEY----- > /dev/null; touch MARK"',
      'API_TOKEN=prod-$(touch MARK)',
      'password="x; touch MARK"',
      `${key};touch`,
      'NODE_OPTIONS=--require ./evil.js',
      'https://user:touch@host/a',
    ]) {
      assert.equal(maskKeys(text), text);
    }
  });
});
