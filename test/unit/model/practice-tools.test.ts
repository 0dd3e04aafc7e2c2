import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPracticeWire } from '../../../src/agent/model/index.ts';
import type { ModelCall, ModelMessage } from '../../../src/agent/model/types.ts';
import {
  createBuiltinTools,
  PlainEditorPort,
  ProcessRegistry,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolSpecs,
} from '../../../src/agent/tools/index.ts';
import { collect, ended, textOf } from './wire-fixture.ts';

const SAMPLE = fileURLToPath(new URL('../../../samples/ts-starter', import.meta.url));

/** The practice model with the real tools in a copy of the sample. */
class Rehearsal {
  readonly messages: ModelMessage[] = [];
  readonly calls: ModelCall[] = [];
  readonly #folder: string;
  readonly #tools: readonly Tool[] = createBuiltinTools();
  readonly #wire = createPracticeWire({ pace: async () => {} });

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Until an answer without calls, which is returned. */
  async finish(): Promise<string> {
    const request = { model: 'rehearsal', system: '', tools: toolSpecs(this.#tools), cacheKey: 's' };
    for (;;) {
      const parts = await collect(
        this.#wire.stream({ ...request, messages: this.messages }, AbortSignal.timeout(60_000)),
      );
      const { calls } = ended(parts);
      this.messages.push({ role: 'assistant', text: textOf(parts), calls });
      if (calls.length === 0) return textOf(parts);
      for (const call of calls) {
        this.calls.push(call);
        const { status, text } = await this.#run(call);
        const isError = status !== 'success';
        this.messages.push({ role: 'tool', callId: call.callId, name: call.name, text, isError });
      }
    }
  }

  async #run({ callId, name, input }: ModelCall): Promise<ToolResult> {
    const tool = this.#tools.find((candidate) => candidate.name === name);
    assert.ok(tool, `there is a tool ${name}`);
    const signal = new AbortController().signal;
    const context: ToolContext = {
      sessionId: 's',
      turnId: 't',
      callId,
      signal,
      killSignal: signal,
      yieldSignal: new AbortController().signal,
      folders: [this.#folder],
      output: () => {},
      later: () => {},
      editor: new PlainEditorPort(),
      processes: new ProcessRegistry(),
      seen: false,
      todos: { get: () => [], set: () => {} },
      settings: { terminalTimeout: 60 },
      answer: ['choice-3'],
    };
    const parsed = tool.input.parse(input);
    await tool.permission(parsed, context);
    return tool.run(parsed, context);
  }
}

describe('the practice model with the real tools', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'midcourse-practice-')));
    await cp(SAMPLE, folder, { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('mends the cart, and its tests pass', async () => {
    const rehearsal = new Rehearsal(folder);
    rehearsal.messages.push({ role: 'user', text: 'Run the tests, find out why they fail and mend what is wrong.' });
    assert.match(await rehearsal.finish(), /All tests pass/);
    assert.match(await readFile(join(folder, 'src/cart.js'), 'utf8'), /line\.price \* line\.quantity/);
  });

  it('mends it with reduce when that is asked for afterwards', async () => {
    const rehearsal = new Rehearsal(folder);
    rehearsal.messages.push({ role: 'user', text: 'Fix the failing test' });
    await rehearsal.finish();
    rehearsal.messages.push({ role: 'user', text: 'use reduce' });
    assert.match(await rehearsal.finish(), /with `reduce`. All tests pass/);
  });

  it('mends the type error', async () => {
    const rehearsal = new Rehearsal(folder);
    rehearsal.messages.push({ role: 'user', text: 'Clear the problems' });
    await rehearsal.finish();
    assert.match(await readFile(join(folder, 'src/format.ts'), 'utf8'), /const euros = \(cents/);
  });

  it('explains the project by what its files say', async () => {
    const rehearsal = new Rehearsal(folder);
    rehearsal.messages.push({ role: 'user', text: 'Explain this project' });
    const text = await rehearsal.finish();
    assert.match(text, /> A shopping cart small enough/);
    assert.match(text, /`npm run test`: `node --test`/);
    assert.match(text, /src\/cart\.js/);
  });

  it('asks its questions and reads the answers', async () => {
    const rehearsal = new Rehearsal(folder);
    rehearsal.messages.push({ role: 'user', text: 'Help me plan a small command line tool.' });
    assert.match(await rehearsal.finish(), /You answered: “Watch a folder”/);
    const tour = new Rehearsal(folder);
    tour.messages.push({ role: 'user', text: 'Try stop, steer and redirect' });
    assert.match(await tour.finish(), /redirect me/);
    assert.deepEqual(
      tour.calls.map(({ name }) => name),
      ['ask_user'],
    );
  });

  it('finds the notes', async () => {
    const rehearsal = new Rehearsal(folder);
    rehearsal.messages.push({ role: 'user', text: 'Look for TODO and FIXME notes' });
    assert.match(await rehearsal.finish(), /The search says/);
  });
});
