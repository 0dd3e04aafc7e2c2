import assert from 'node:assert/strict';
import { maskSecrets } from '../../../src/agent/safety/index.ts';

describe('masking secrets', () => {
  const secret = 'Zq8Rt2Lm5Vx9Bn3Kd7Wp';

  for (const text of [
    `curl -H "Authorization: Bearer ${secret}"`,
    `export API_KEY=${secret}`,
    `MY_SERVICE_TOKEN="${secret}" run`,
    `login --password ${secret}`,
    `login --password=${secret}`,
    `git clone https://user:${secret}@host/x.git`,
    `curl -u user:${secret} https://x`,
    `{"apiKey": "${secret}"}`,
    `echo sk-ant-api03-${secret}`,
    `echo ghp_${secret}${secret}`,
  ]) {
    it(`hides the secret in: ${text.replaceAll(secret, '…')}`, () => {
      const masked = maskSecrets(text);
      assert.ok(!masked.includes(secret), masked);
      assert.ok(masked.includes('•••'), masked);
    });
  }

  it('short secrets are hidden whole, long ones keep their first six and last four characters', () => {
    assert.equal(maskSecrets('TOKEN=hunter2'), 'TOKEN=•••');
    assert.equal(maskSecrets('TOKEN=abcdefghijklmnopqrstuvwxyz'), 'TOKEN=abcdef•••wxyz');
  });

  it('leaves references and ordinary text alone', () => {
    for (const text of [
      'echo $API_KEY',
      'TOKEN=$TOKEN run',
      'git commit -m "fix the token parser"',
      'npm run test:auth',
      'cat tokens.ts',
    ]) {
      assert.equal(maskSecrets(text), text);
    }
  });

  it('masking twice changes nothing more', () => {
    const once = maskSecrets(`TOKEN=${secret}`);
    assert.equal(maskSecrets(once), once);
  });
});
