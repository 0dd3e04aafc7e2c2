import { deepEqual, equal, match } from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { splitWords } from '../../../../src/agent/hooks/handlers/index.ts';
import type { CompletionRequest } from '../../../../src/agent/model/completion.ts';
import { declared } from '../claude/payloads.ts';
import { HandlerRig } from './rig.ts';

let rig: HandlerRig;

beforeEach(async () => {
  rig = await HandlerRig.start();
});
afterEach(() => rig.close());

/** A look-up as it is written in a hook file. */
const look = (path: string) => `$\{${path}}`;

const deny = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
});

describe('HTTP hooks', () => {
  let server: Server;
  let seen: { headers: IncomingMessage['headers']; body: string }[];
  let answer: { status: number; body: string; headers?: Record<string, string> };

  beforeEach(async () => {
    seen = [];
    answer = { status: 200, body: '' };
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ headers: request.headers, body });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const hook = (handler: object = {}) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const of = declared('PreToolUse', { type: 'http', url, command: undefined, ...handler });
    return rig.hook(of, { environment: { TOKEN: 't', OTHER: 'o' } });
  };

  it('post the event, with the variables that they may read and no others', async () => {
    const headers = { Authorization: 'Bearer $TOKEN', 'X-Other': look('OTHER') };
    await rig.run(hook({ headers, allowedEnvVars: ['TOKEN'] }));
    equal(JSON.parse(seen[0]?.body ?? '').tool_name, 'Bash');
    equal(seen[0]?.headers.authorization, 'Bearer t');
    equal(seen[0]?.headers['x-other'], '');
  });

  it('answer as a command does', async () => {
    answer = { status: 200, body: deny };
    equal((await rig.run(hook())).answer.block?.reason, 'no');
  });

  it('do not follow redirects', async () => {
    answer = { status: 302, body: '', headers: { location: '/elsewhere' } };
    const failure = await rig.failure(hook());
    match(failure.message, /status 302\. Redirects are not followed/);
    equal(seen.length, 1);
  });

  it('decide nothing by a status that is no success', async () => {
    answer = { status: 500, body: deny };
    equal((await rig.failure(hook())).kind, 'http');
  });

  it('say why nobody answers', async () => {
    const failure = await rig.failure(hook({ url: 'http://127.0.0.1:1/' }));
    equal(failure.kind, 'http');
    match(failure.message, /ECONNREFUSED|bad port/);
  });
});

describe('prompt hooks', () => {
  const hook = (prompt: string, text: string, asked: CompletionRequest[] = []) =>
    rig.hook(declared('PreToolUse', { type: 'prompt', prompt, command: undefined, model: 'a/b' }), {
      completion: {
        complete: async (request) => {
          asked.push(request);
          return { text, model: 'a/b' };
        },
      },
    });

  it('put the event in the place of $ARGUMENTS, or behind the question', async () => {
    const asked: CompletionRequest[] = [];
    await rig.run(hook('Is $ARGUMENTS fine?', '{"ok":true}', asked));
    await rig.run(hook('Is it fine?', '{"ok":true}', asked));
    match(asked[0]?.prompt ?? '', /^Is \{"session_id".*\} fine\?$/);
    match(asked[1]?.prompt ?? '', /^Is it fine\?\n\n\{"session_id"/);
    equal(asked[0]?.model, 'a/b');
  });

  it('block by a no, also inside a fence', async () => {
    const { answer } = await rig.run(hook('fine?', '```json\n{"ok": false, "reason": "unsafe"}\n```'));
    equal(answer.block?.reason, 'unsafe');
  });

  it('decide nothing by an answer that is no verdict', async () => {
    equal((await rig.failure(hook('fine?', 'Looks good!'))).kind, 'output');
  });

  it('say that there is no model', async () => {
    const of = declared('PreToolUse', { type: 'prompt', prompt: 'x', command: undefined });
    match((await rig.failure(rig.hook(of))).message, /no model/);
  });
});

describe('hooks that call a tool of an MCP server', () => {
  const hook = (input: unknown, answer: { text: string; isError: boolean }, seen: unknown[] = []) =>
    rig.hook(declared('PreToolUse', { type: 'mcp_tool', server: 's', tool: 't', input, command: undefined }), {
      mcp: {
        callTool: async (...call) => {
          seen.push(call.slice(0, 3));
          return answer;
        },
      },
    });

  it('fill in what the event holds', async () => {
    const seen: unknown[] = [];
    const input = {
      line: `ran ${look('tool_input.command')}`,
      all: look('tool_input'),
      none: look('a.b'),
      deep: [look('tool_name')],
    };
    await rig.run(hook(input, { text: '', isError: false }, seen));
    deepEqual(seen, [
      ['s', 't', { line: 'ran ls', all: { command: 'ls', description: 'Run ls' }, none: '', deep: ['Bash'] }],
    ]);
  });

  it('answer as a command does, and decide nothing when the tool fails', async () => {
    equal((await rig.run(hook({}, { text: deny, isError: false }))).answer.block?.reason, 'no');
    match((await rig.failure(hook({}, { text: 'broken', isError: true }))).message, /t of s failed: broken/);
  });
});

describe('words of a command line', () => {
  it('are split as a shell would', () => {
    deepEqual(splitWords(`a 'b c' "d \\"e" f\\ g '' "$x"`), ['a', 'b c', 'd "e', 'f g', '', '$x']);
    equal(splitWords('a "b'), undefined);
  });
});
