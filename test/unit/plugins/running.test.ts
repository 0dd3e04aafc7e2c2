import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callPayload, never, payloadOf } from '../hooks/manager-rig.ts';
import { ManualClock } from '../hooks/manual-clock.ts';
import { isAlive, PluginRig } from './plugin-rig.ts';

const prompt = payloadOf('pre_llm_call', { user_message: 'hi', kind: 'message', item_id: '', is_first_turn: true });

describe('the code of a plugin', () => {
  let rig: PluginRig;
  beforeEach(() => {
    rig = new PluginRig();
  });
  afterEach(() => rig.close());

  const fire = () => rig.manager.fire('pre_llm_call', prompt, never);
  const says = (text: string) => `ctx.registerHook('pre_llm_call', () => ({ context: ${text} }));`;

  it('answers hooks with what it registered', async () => {
    rig.code('one', `ctx.registerHook('pre_llm_call', ({ user_message }) => ({ context: 'heard ' + user_message }));`);
    await rig.load();
    assert.equal(rig.state('one'), 'active');
    assert.deepEqual(await fire(), { context: 'heard hi', contextBy: 'one' });
  });

  it('hears only of the tools that its matcher names as a whole', async () => {
    rig.code('one', `ctx.registerHook('pre_tool_call', () => ({ block: 'no' }), { matcher: 'term.*' });`);
    await rig.load();
    const other = await rig.manager.fire('pre_tool_call', { ...callPayload, tool_name: 'my_terminal' }, never);
    const named = await rig.manager.fire('pre_tool_call', { ...callPayload, tool_name: 'terminal' }, never);
    assert.deepEqual([other.block, named.block?.reason], [undefined, 'no']);
  });

  it('gets a clean environment, its own folders, its values and its state', async () => {
    rig.settings = { ...rig.settings, config: { one: { greeting: 'salve' } } };
    rig.code(
      'one',
      `await ctx.state.set('starts', (ctx.state.get('starts') ?? 0) + 1);
       const { MY_OWN_KEY, OPENAI_API_KEY, PLUGIN_ROOT, PLUGIN_DATA, NODE_OPTIONS } = process.env;
       const seen = { MY_OWN_KEY, OPENAI_API_KEY, NODE_OPTIONS, root: PLUGIN_ROOT === ctx.plugin.root, data: PLUGIN_DATA,
         config: ctx.config, folders: ctx.folders, starts: ctx.state.get('starts') };
       ${says('JSON.stringify(seen)')}`,
      {
        configSchema: {
          type: 'object',
          properties: { greeting: { type: 'string' }, times: { type: 'integer', default: 3 } },
        },
      },
    );
    await rig.load();
    await rig.plugins.reload('one');
    const seen = JSON.parse((await fire()).context ?? '');
    assert.ok(existsSync(seen.data));
    assert.deepEqual(seen, {
      root: true,
      data: seen.data,
      config: { greeting: 'salve', times: 3 },
      folders: [rig.folder],
      starts: 2,
    });
  });

  it('asks the active model, and another one only where the user allows it', async () => {
    const asked: (string | undefined)[] = [];
    rig.completion = {
      async complete({ prompt: text, model }) {
        asked.push(model);
        return { text: `${text}!`, model: model ?? 'the/active' };
      },
    };
    const body = `ctx.registerHook('pre_llm_call', async ({ user_message }) => ({
      context: JSON.stringify([
        await ctx.llm.complete({ prompt: 'a' }),
        await ctx.llm.complete({ prompt: 'b', model: 'other/model' }).catch((error) => error.message),
      ]),
    }));`;
    rig.code('one', body);
    await rig.load();
    assert.match((await fire()).context ?? '', /"text":"a!","model":"the\/active".*midcourse\.plugins\.models/);
    rig.settings = { ...rig.settings, models: { one: ['other/model'] } };
    assert.match((await fire()).context ?? '', /"text":"b!","model":"other\/model"/);
    assert.deepEqual(asked, [undefined, undefined, 'other/model']);
  });

  it('gives the agent a tool with a JSON schema, which is told when it is stopped', async () => {
    const input = { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] };
    rig.code(
      'one',
      `ctx.registerTool({ name: 'shout', description: 'Shouts.', readOnly: true, input: ${JSON.stringify(input)},
        run: ({ of }) => of.toUpperCase() });
       ctx.registerTool({ name: 'wait', description: 'Waits.', input: { type: 'object' },
        run: (_, { signal }) => (ctx.log.info('started'), new Promise((resolve) => signal.addEventListener('abort', () => { ctx.log.info('told'); resolve(''); }))) });`,
    );
    await rig.load();
    const shout = rig.tools.find('shout');
    assert.deepEqual([shout?.overlap, shout?.input.safeParse({}).success], ['parallel', false]);
    const context = { signal: never, sessionId: 's1' } as never;
    assert.deepEqual(await shout?.run({ of: 'hey' }, context), { status: 'success', text: 'HEY' });
    const stop = new AbortController();
    const waiting = rig.tools.find('wait')?.run({}, { signal: stop.signal, sessionId: 's1' } as never);
    await rig.logs('info: started');
    stop.abort();
    assert.equal((await waiting)?.status, 'stopped');
    await rig.logs('info: told');
  });

  it('is told where it uses its context wrongly, and goes on', async () => {
    rig.code(
      'one',
      `const tell = (error) => ctx.log.info(error.name + ': ' + error.message.split('\\n')[0]);
       const wrong = [
         () => ctx.registerTool({ name: 'x', description: 5, input: {}, run() {} }),
         () => ctx.registerSystemPromptSection('', 'text'),
         () => ctx.registerHook('x'.repeat(300), () => {}),
       ];
       for (const call of wrong) try { call(); } catch (error) { tell(error); }
       await ctx.state.set('__proto__', 1).catch(tell);
       await ctx.llm.complete({ prompt: 5 }).catch(tell);
       ${says(`'here'`)}`,
    );
    await rig.load();
    assert.equal((await fire()).context, 'here');
    assert.equal(rig.logged.filter((line) => /^info: TypeError: .* cannot be used/.test(line)).length, 5);
  });

  for (const [what, run] of [
    ['answers with a function', '() => () => 1'],
    ['answers with what writes itself as nothing', '() => ({ toJSON() {} })'],
    ['throws what has no words', '() => { throw Object.create(null); }'],
    ['throws an error whose message is no text', '() => { throw Object.assign(new Error(), { message: 5 }); }'],
  ] as const) {
    it(`fails, and does not hang or end, when its tool ${what}`, async () => {
      rig.code(
        'one',
        `ctx.registerTool({ name: 't', description: '', readOnly: true, input: { type: 'object' }, run: ${run} });`,
      );
      await rig.load();
      const pid = rig.pid('one');
      const ended = await rig.tools.find('t')?.run({}, { signal: never, sessionId: 's1' } as never);
      assert.deepEqual([ended?.status, rig.pid('one')], ['error', pid]);
    });
  }

  it('that cannot be loaded is broken with the reason, and the others work', async () => {
    rig.code('one', says(`'here'`));
    rig.code('two', says(`'there'`));
    mkdirSync(join(rig.home, 'data/data'), { recursive: true });
    writeFileSync(join(rig.home, 'data/data/two'), '');
    await rig.load();
    assert.match(rig.state('two'), /^broken: It could not be loaded: EEXIST/);
    assert.equal((await fire()).context, 'here');
  });

  it('is not taken from a folder that consent does not cover', async () => {
    rig.code('one', says(`'here'`), { main: './.git/index.mjs' });
    await rig.load();
    assert.match(rig.state('one'), /^broken: .*lies in ".git"/);
  });

  it('may describe the input of a tool with a zod of its own, which checks it', async () => {
    const zod = import.meta.resolve('zod');
    rig.code(
      'one',
      `const z = await import(${JSON.stringify(zod)});
       ctx.registerTool({ name: 'add', description: '', readOnly: true,
         input: z.object({ a: z.number(), b: z.number().max(9).default(1) }), run: ({ a, b }) => String(a + b) });`,
    );
    await rig.load();
    const add = rig.tools.find('add');
    const context = { signal: never, sessionId: 's1' } as never;
    assert.equal(add?.input.safeParse({ a: 'x' }).success, false);
    assert.deepEqual(await add?.run({ a: 2 }, context), { status: 'success', text: '3' });
    assert.match((await add?.run({ a: 2, b: 10 }, context))?.text ?? '', /failed: The input does not fit/);
  });

  it('gives the chat commands, sections of the system prompt and skills', async () => {
    rig.code(
      'one',
      `ctx.registerCommand({ name: '/Say Hello', description: 'Greets.', argumentHint: '<name>', run: (args) => ({ prompt: 'Greet ' + args }) });
       ctx.registerCommand({ name: 'compact', description: 'Taken.', run: () => ({}) });
       ctx.registerSystemPromptSection('House rules', 'Be brief.');
       ctx.registerSkill('./skills/one');`,
    );
    rig.write('one', { 'skills/one/SKILL.md': '---\nname: one\ndescription: One.\n---\n' });
    await rig.load();
    const [command, ...others] = rig.plugins.commands();
    assert.deepEqual([command?.name, command?.argumentHint, others.length], ['say-hello', '<name>', 0]);
    assert.deepEqual(await command?.run('Ada', never), { prompt: 'Greet Ada' });
    assert.deepEqual(
      rig.plugins.sections().map(({ title, text }) => [title, text]),
      [['House rules', 'Be brief.']],
    );
    assert.ok(rig.plugins.folders().some(({ path, holds }) => holds === 'skills' && path.endsWith('skills/one')));
  });

  it('is ended after ten idle minutes, keeps what it registered, and starts again when it is used', async () => {
    await rig.close();
    const clock = new ManualClock();
    rig = new PluginRig({ clock });
    rig.code('one', says('String(process.pid)'));
    await rig.load();
    const first = rig.pid('one');
    assert.equal((await fire()).context, String(first));
    clock.go(600_000);
    await rig.until(() => rig.of('one').process?.is === 'idle');
    assert.ok(!isAlive(Number(first)));
    assert.deepEqual(
      rig.manager.list().map(({ name }) => name),
      ['one'],
    );
    assert.notEqual((await fire()).context, String(first));
  });

  it('keeps what it registered when it takes that back in its unload', async () => {
    await rig.close();
    const clock = new ManualClock();
    rig = new PluginRig({ clock });
    rig.code('one', `const hook = ctx.registerHook('pre_llm_call', () => 'here'); ctx.onUnload(() => hook.dispose());`);
    await rig.load();
    clock.go(600_000);
    await rig.until(() => rig.of('one').process?.is === 'idle');
    assert.equal((await fire()).context, 'here');
  });

  it('is not started to know what it registers when the same bytes have told it before', async () => {
    rig.code('one', says(`'here'`));
    await rig.load();
    const again = new PluginRig({ sharing: rig });
    try {
      await again.plugins.refresh();
      assert.equal(again.of('one').process?.is, 'idle');
      assert.equal((await again.manager.fire('pre_llm_call', prompt, never)).context, 'here');
      assert.equal(again.of('one').process?.is, 'running');
    } finally {
      await again.close();
    }
  });

  it('has its unload called, and is ended when that takes longer than a second', async () => {
    const marker = join(rig.home, 'unloaded');
    rig.code(
      'one',
      `const { writeFileSync } = await import('node:fs');
       ctx.onUnload(() => { writeFileSync(${JSON.stringify(marker)}, ''); return new Promise(() => {}); });`,
    );
    await rig.load();
    const pid = Number(rig.pid('one'));
    rmSync(join(rig.home, '.midcourse/plugins/one'), { recursive: true });
    await rig.plugins.refresh();
    assert.ok(existsSync(marker));
    assert.ok(!isAlive(pid));
  });

  it('is ended with the window although it has not finished its register', async () => {
    rig.code('one', `ctx.log.info(String(process.pid)); ctx.log.info('begun'); await new Promise(() => {});`);
    const loading = rig.load();
    await rig.logs('info: begun');
    await rig.plugins.close();
    await loading;
    const pid = rig.logged.map((line) => Number(/^info: (\d+)$/.exec(line)?.[1])).find((found) => found > 0);
    assert.ok(pid !== undefined && !isAlive(pid));
    assert.ok(!rig.problems.length, JSON.stringify(rig.problems));
  });

  it('may register later, and take back what it registered', async () => {
    rig.code(
      'one',
      `let hook;
       ctx.registerCommand({ name: 'swap', description: '', run() { hook ? hook.dispose() : (hook = ctx.registerHook('pre_llm_call', () => 'swapped')); return {}; } });`,
    );
    await rig.load();
    const swap = () =>
      rig.plugins
        .commands()
        .find(({ name }) => name === 'swap')
        ?.run('', never);
    await swap();
    await rig.until(() => rig.manager.has('pre_llm_call'));
    assert.equal((await fire()).context, 'swapped');
    await swap();
    await rig.until(() => !rig.manager.has('pre_llm_call'));
  });
});
