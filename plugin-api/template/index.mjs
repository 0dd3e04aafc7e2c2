// @ts-check

/**
 * Midcourse calls this once, in a process of the plugin's own. What it registers stays until the plugin is unloaded.
 *
 * @type {import('./types/index.d.ts').Register}
 */
export function register(ctx) {
  // A hook: it is asked before each call of a tool that its matcher names.
  ctx.registerHook(
    'pre_tool_call',
    ({ tool_input }) => {
      const forbidden = /** @type {readonly string[]} */ (ctx.config.forbidden ?? []);
      const found = forbidden.find((text) => commandOf(tool_input).includes(text));
      return found ? { block: `"${found}" is forbidden by the plugin ${ctx.plugin.id}.` } : undefined;
    },
    { matcher: 'terminal' },
  );

  // Told of each turn that was interrupted, and by what.
  ctx.registerHook('agent_loop_stopped', async ({ reason, phase }) => {
    const stops = /** @type {number} */ (ctx.state.get('stops') ?? 0) + 1;
    await ctx.state.set('stops', stops);
    ctx.log.info(`stopped by ${reason} in the phase ${phase}; ${stops} stops in this workspace so far`);
  });

  // A tool: the model sees its name, its description and its input, and decides when to use it.
  ctx.registerTool({
    name: 'count_words',
    description: 'Counts the words of a text.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    readOnly: true,
    run: ({ text }) => `${countWords(text)} words`,
  });

  // A slash command: what it gives as `prompt` is sent to the agent, a `message` is shown to you.
  ctx.registerCommand({
    name: 'my-plugin',
    description: 'Says how often you have stopped the agent here.',
    run: () => ({ message: `You have stopped the agent ${ctx.state.get('stops') ?? 0} times here.` }),
  });
}

/** @param {string} text */
export function countWords(text) {
  return text.split(/\s+/).filter(Boolean).length;
}

/** @param {unknown} input */
function commandOf(input) {
  return typeof input === 'object' && input !== null && 'command' in input ? String(input.command) : '';
}
