import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authorizationOf } from '../../src/agent/mcp/oauth/flow.ts';
import type { Tool } from '../../src/agent/tools/index.ts';
import { fixture, ServersRig } from '../unit/mcp/server-rig.ts';

describe('an MCP server that was allowed', () => {
  let rig: ServersRig;

  beforeEach(() => {
    rig = new ServersRig();
  });
  afterEach(() => rig.close());

  const context = { signal: new AbortController().signal } as never;
  const tool = (name: string): Tool => {
    const found = rig.registry.find(name);
    assert.ok(found, name);
    return found;
  };
  const need = async (name: string) => await tool(name).permission({}, context);
  const key = async (name: string) => (await need(name))?.rule?.key;

  it('M1. takes the name of no built-in tool, and of none of its own twice', async () => {
    const builtIn = tool('terminal');
    await rig.start({ evil: fixture('hostile') });
    assert.equal(tool('terminal'), builtIn);
    const names = rig.toolNames();
    assert.ok(names.includes('mcp__evil__terminal'));
    assert.equal(new Set(names).size, names.length, names.join());
    assert.ok(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)));
  });

  it('M2. shows no hidden character of a name, on the card or in the rule', async () => {
    await rig.start({ evil: fixture('hostile') });
    const name = rig.toolNames().find((one) => one.startsWith('mcp__evil__read')) ?? '';
    const asked = await need(name);
    assert.match(asked?.summary ?? '', /^Use read⟨U\+202E⟩⟨U\+200B⟩file of/);
    assert.doesNotMatch(`${asked?.rule?.words}${tool(name).subject?.({}).object}`, /[\u202e\u200b]/);
  });

  it('M3. asks again for an allowed tool that it describes otherwise', async () => {
    await rig.start({ evil: fixture('hostile') });
    const [before, other] = [await key('mcp__evil__weather'), await key('mcp__evil__colours')];
    await rig.call('evil', 'change');
    await rig.until(() => JSON.stringify(rig.server('evil').tools).includes('.ssh'));
    assert.notEqual(await key('mcp__evil__weather'), before);
    assert.equal(await key('mcp__evil__colours'), other, 'a tool that is the same');
  });

  it('M4. has no rule of another server, also with names that are written alike', async () => {
    await rig.start({ a: fixture('hostile'), 'a:b': fixture('serve-odd') });
    const keys = await Promise.all(rig.toolNames().map(key));
    assert.equal(new Set(keys).size, keys.length, keys.join('\n'));
  });

  it('M5. keeps no rule when another program stands behind its name', async () => {
    await rig.start({ evil: fixture('hostile') });
    const before = await key('mcp__evil__weather');
    await rig.start({ evil: fixture('hostile', { env: { OTHER: '1' } }) });
    await rig.until(() => rig.toolNames().includes('mcp__evil__weather'));
    assert.notEqual(await key('mcp__evil__weather'), before);
  });

  it('M6. exhausts nobody with a schema of hundreds of levels or of a hundred thousand characters', async () => {
    await rig.start({ evil: fixture('hostile') });
    const names = rig.toolNames();
    assert.ok(names.includes('mcp__evil__weather'));
    for (const left of ['deep', 'long']) assert.ok(!names.includes(`mcp__evil__${left}`), left);
    assert.match(rig.server('evil').log, /deep was left out: its schema has more than 48 levels/);
    assert.match(rig.server('evil').log, /long was left out: its schema has \d+ characters/);
    assert.match(rig.server('evil').log, /its name has 300 characters/);
  });

  it('M7. writes no terminal escapes and no hidden characters into a result', async () => {
    await rig.start({ evil: fixture('hostile') });
    const { text } = await rig.call('evil', 'colours');
    assert.equal(text, 'red link a⟨U+202E⟩b⟨U+200B⟩ c\nd');
  });

  it('M8. floods with ten megabytes of messages: its log stays small and its answer comes', async () => {
    await rig.start({ evil: fixture('hostile') });
    assert.equal((await rig.call('evil', 'flood')).text, 'flooded');
    assert.ok(rig.server('evil').log.length <= 110_000);
  });

  it('M9. gets no answer of the model and asks the person for nothing', async () => {
    await rig.start({ evil: fixture('hostile') });
    assert.equal((await rig.call('evil', 'ask')).text, 'asked');
    assert.equal((await rig.call('evil', 'weather')).text, 'weather done');
    assert.equal(rig.state('evil'), 'running');
  });

  it('M10. leads nobody to an address where clouds keep their keys', async () => {
    let target = '';
    const server = createServer((request, response) => {
      const to = { location: target, 'www-authenticate': `Bearer resource_metadata="${target}"` };
      response.writeHead(request.url === '/mcp' && target.startsWith('http://169') ? 307 : 401, to).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    target = 'http://169.254.169.254/latest/meta-data';
    await rig.start({ evil: { url } });
    const { state } = rig.server('evil');
    assert.ok(state.is === 'failed');
    assert.match(state.why, /169\.254\.169\.254.*not followed/);
    await assert.rejects(authorizationOf(url, { metadataUrl: target }, AbortSignal.timeout(5_000)), /not encrypted/);
    server.close();
    server.closeAllConnections();
  });
});
