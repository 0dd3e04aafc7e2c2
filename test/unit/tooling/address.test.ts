import assert from 'node:assert/strict';
import { windowAddress } from '../../../scripts/editor/address.ts';

describe('window address', () => {
  it('names the folder, the extensions under development and the tests as the workbench reads them', () => {
    const address = new URL(
      windowAddress({
        origin: 'http://127.0.0.1:81',
        folder: '/a b/ü',
        extensions: ['/one', '/two'],
        tests: '/t/index.js',
      }),
    );
    assert.equal(address.searchParams.get('folder'), '/a b/ü');
    assert.deepEqual(JSON.parse(address.searchParams.get('payload') ?? ''), [
      ['extensionDevelopmentPath', 'vscode-remote://127.0.0.1:81/one'],
      ['extensionDevelopmentPath', 'vscode-remote://127.0.0.1:81/two'],
      ['extensionTestsPath', 'vscode-remote://127.0.0.1:81/t/index.js'],
    ]);
  });

  it('asks for an empty window when there is no folder: the server would open the last one', () => {
    assert.equal(new URL(windowAddress({ origin: 'http://127.0.0.1:81' })).searchParams.get('ew'), 'true');
  });
});
