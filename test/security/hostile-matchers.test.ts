import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fullMatch } from '../../src/agent/hooks/index.ts';
import type { HookPayload } from '../../src/hooks-api.ts';
import { Machine } from '../hooks/trusting-window.ts';
import { longestGap } from './event-loop.ts';

const NESTED = '^(((\\w+)+)+)+#$';
/** Only JavaScript's own engine takes it, and would never come back from it. */
const LOOKING = '^(?=(((\\w+)+)+)+#$)';

/** A hook file that runs `command` at an event, in the words of each system. */
const files = {
  claude: ['.claude/settings.json', 'PreToolUse', 'Notification'],
  codex: ['.codex/hooks.json', 'PreToolUse', undefined],
  vscode: ['.github/hooks/vscode.json', 'PreToolUse', undefined],
  copilot: ['.github/hooks/copilot.json', 'preToolUse', 'notification'],
  hermes: ['.hermes/config.yaml', 'pre_tool_call', undefined],
} as const;
type System = keyof typeof files;

function fileOf(system: System, event: string, matcher: string, command: string): string {
  const handler = { type: 'command', command };
  if (system === 'hermes') return JSON.stringify({ hooks: { [event]: [{ matcher, command: `sh -c '${command}'` }] } });
  if (system === 'copilot') {
    return JSON.stringify({
      version: 1,
      hooks: { [event]: [{ ...handler, bash: command, command: undefined, matcher }] },
    });
  }
  return JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [handler] }] } });
}

const long = { tool_name: `mcp__server__${'a'.repeat(60)}`, tool_input: {} };
const notification = { notification_type: 'a'.repeat(60) } as unknown as Partial<HookPayload<'pre_tool_call'>>;

describe('matchers of a repository that was opened', () => {
  let machine: Machine;

  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  for (const [index, system] of (Object.keys(files) as System[]).entries()) {
    const [path, call, notice] = files[system];
    const letter = String.fromCharCode('a'.charCodeAt(0) + index);

    it(`C1${letter}. a matcher of ${system} that never ends, in an untrusted folder: listed, not judged, the host goes on`, async () => {
      for (const matcher of [NESTED, LOOKING]) {
        await machine.write(`repository/${path}`, fileOf(system, call, matcher, 'touch MARK'));
        const window = await machine.open({ trusted: false });
        assert.deepEqual(window.states(), ['untrusted']);
        const gap = await longestGap(async () => {
          await window.fire('pre_tool_call', long);
          if (notice) await window.fire('notification', notification);
        });
        assert.ok(gap < 1_000, `${gap} ms`);
        assert.equal(existsSync(machine.path('repository/MARK')), false);
      }
    });

    it(`C1${letter}1. the same in a trusted folder: one that is linear is judged, one that is not runs as without a matcher and is told`, async () => {
      await machine.write(`repository/${path}`, fileOf(system, call, NESTED, 'touch MARK'));
      const linear = await machine.open();
      await linear.allowAll();
      assert.deepEqual(linear.states(), ['active']);
      assert.ok((await longestGap(() => linear.fire('pre_tool_call', long))) < 1_000);
      assert.equal(existsSync(machine.path('repository/MARK')), false, 'it does not fit');
      assert.deepEqual(linear.problems, []);

      await machine.write(`repository/${path}`, fileOf(system, call, LOOKING, 'touch MARK'));
      const looking = await machine.open();
      await looking.allowAll();
      assert.ok((await longestGap(() => looking.fire('pre_tool_call', long))) < 1_000);
      assert.equal(existsSync(machine.path('repository/MARK')), true, 'a guard is never skipped');
      assert.match(looking.problems.map(({ words }) => words).join(), /took more than 50 ms.*as without a matcher/);
    });

    it(`C1${letter}2. a matcher too long to be judged counts as fitting, and the list says so`, async () => {
      await machine.write(`repository/${path}`, fileOf(system, call, `(${'a|'.repeat(3_000)}b).`, 'touch MARK'));
      const window = await machine.open();
      await window.allowAll();
      assert.match(window.files.list()[0]?.warnings.join() ?? '', /characters is not judged.*runs whatever/);
      await window.fire('pre_tool_call', long);
      assert.equal(existsSync(machine.path('repository/MARK')), true);
    });
  }

  it('C1f. the `if` of a hook with a thousand stars or braces: judged or run, never waited for', async () => {
    const rules = [
      `Bash(${'a*'.repeat(500)}b)`,
      `Read(${'*a'.repeat(200)}b)`,
      `Read(${'{a,b}'.repeat(150)}/**/c)`,
      'Read(!(a|b)c)',
    ];
    for (const rule of rules) {
      await machine.write('repository/.claude/settings.json', {
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true', if: rule }] }] },
      });
      const window = await machine.open();
      await window.allowAll();
      const gap = await longestGap(async () => {
        await window.fire('pre_tool_call', { tool_input: { command: 'a'.repeat(5_000) } });
        await window.fire('pre_tool_call', { tool_name: 'read_file', tool_input: { path: 'a'.repeat(200) } });
      });
      assert.ok(gap < 1_000, `${rule.slice(0, 20)}: ${gap} ms`);
    }
  });

  it('C1g. an address in allowedHttpHookUrls with many stars: judged at once, and allows nothing where it cannot be', async () => {
    await machine.write('repository/.claude/settings.json', {
      allowedHttpHookUrls: [`https://${'*a'.repeat(2_000)}`, `https://${'*a'.repeat(40)}b`],
      hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: `https://${'a'.repeat(200)}` }] }] },
    });
    const gap = await longestGap(async () => {
      const window = await machine.open({ trusted: false });
      assert.deepEqual(window.states(), ['broken']);
    });
    assert.ok(gap < 1_000, `${gap} ms`);
  });

  it('C1h. the matcher of a webhook or of our own hooks that never ends: fits when it cannot be judged', async () => {
    const gap = await longestGap(async () => {
      assert.equal(await fullMatch(`(((\\w+)+)+)+#`)('a'.repeat(60)), false);
      assert.match(JSON.stringify(await fullMatch(`(?=(((\\w+)+)+)+#)`)('a'.repeat(60))), /unsure/);
    });
    assert.ok(gap < 1_000, `${gap} ms`);
  });
});
