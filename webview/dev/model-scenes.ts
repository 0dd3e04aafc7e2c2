/** What the chat shows of images, models, usage, cost and limits. */

import type { Attachment } from '../../src/api.ts';
import { type Meter, type ToView, testIds } from '../../src/protocol/index.ts';
import type { Scene } from './scene.ts';
import { answer, events, item, snapshot, turnResult, usage, user } from './script.ts';
import type { ChatPage } from './stage.ts';

/** Drawn here as SVG: a page of a browser takes any kind. */
function picture(width: number, height: number, hue: number): { readonly mime: string; readonly base64: string } {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="none"><rect width="100" height="100" fill="hsl(${hue} 45% 88%)"/><rect x="6" y="8" width="88" height="14" rx="3" fill="hsl(${hue} 40% 60%)"/><rect x="6" y="32" width="52" height="8" fill="hsl(${hue} 25% 70%)"/><rect x="6" y="48" width="70" height="8" fill="hsl(${hue} 25% 70%)"/><rect x="6" y="64" width="38" height="24" rx="3" fill="hsl(${(hue + 180) % 360} 55% 60%)"/></svg>`;
  return { mime: 'image/svg+xml', base64: Buffer.from(svg).toString('base64') };
}

const shots = [
  { name: 'cart-before.png', picture: picture(320, 200, 210) },
  { name: 'cart-after-with-a-very-long-file-name-2026-11-29.png', picture: picture(200, 320, 20) },
  { name: 'wide.webp', picture: picture(600, 90, 120) },
] as const;

const attachments = (count: number, of = 'shot'): readonly Attachment[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'image',
    name: shots[index % shots.length]?.name ?? '',
    mime: 'image/png',
    ref: `${of}-${index}`,
  }));

/** Answers each thumbnail with its picture, until all are drawn. */
async function showPictures(chat: ChatPage, count: number): Promise<void> {
  const drawn = chat.page.locator('.thumbnail > img');
  while ((await drawn.count()) < count) {
    await chat.answerOpen('readImage', ({ ref }) => shots[Number(ref.split('-')[1]) % shots.length]?.picture ?? null);
    await chat.page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

const withImages = (turnId: string, text: string, count: number, of?: string) =>
  user(turnId, text, {
    parts: [
      { type: 'text', text },
      ...attachments(count, of).map(({ ref, name, mime = '' }) => ({ type: 'image' as const, mime, ref, name })),
    ],
  });

const thinker = {
  ref: 'anthropic/claude-sonnet-4-5',
  label: 'Claude Sonnet 4.5',
  practice: false,
  vision: true,
  efforts: ['none', 'low', 'medium', 'high', 'max'],
  effort: 'high',
} as const;

const models: Extract<ToView, { type: 'models' }> = {
  type: 'models',
  current: thinker.ref,
  groups: [
    {
      label: 'Recently used',
      models: [
        { ...thinker, contextWindow: 200_000, price: { input: 3, output: 15 } },
        {
          ref: 'openrouter/deepseek/deepseek-v3.2-exp',
          label: 'deepseek/deepseek-v3.2-exp',
          contextWindow: 163_840,
          price: { input: 0.27, output: 0.4 },
        },
      ],
    },
    {
      label: 'Anthropic',
      models: [
        {
          ref: 'anthropic/claude-opus-4-5',
          label: 'Claude Opus 4.5',
          contextWindow: 200_000,
          vision: true,
          price: { input: 5, output: 25 },
        },
        {
          ref: 'anthropic/claude-haiku-4-5',
          label: 'Claude Haiku 4.5',
          contextWindow: 200_000,
          vision: true,
          price: { input: 1, output: 5 },
        },
      ],
    },
    {
      label: 'OpenRouter',
      models: [
        {
          ref: 'openrouter/qwen/qwen3-coder',
          label: 'qwen/qwen3-coder-480b-a35b-instruct-with-a-long-name',
          contextWindow: 262_144,
          price: { input: 0, output: 0 },
        },
      ],
    },
    {
      label: 'Codex',
      models: [{ ref: 'codex/gpt-5-codex', label: 'gpt-5-codex', contextWindow: 272_000, included: true }],
    },
    { label: 'Ollama', models: [{ ref: 'ollama/qwen3:8b', label: 'qwen3:8b', detail: '5.2 GB' }] },
  ],
};

/** Made when it is shown: limits fill up again as time goes by. */
const spent = (): Meter => ({
  contextUsed: 168_300,
  contextWindow: 200_000,
  usage: { ...usage, reasoning: 620, costUsd: 1.874 },
  costUsd: 1.874,
  fills: [
    { id: 'system_prompt', tokens: 2_100 },
    { id: 'tool_definitions', tokens: 5_900 },
    { id: 'images', tokens: 4_500 },
    { id: 'conversation', tokens: 155_800 },
  ],
  models: [
    {
      ref: 'anthropic/claude-sonnet-4-5',
      label: 'Claude Sonnet 4.5',
      requests: 31,
      usage: { ...usage, costUsd: 1.52 },
    },
    {
      ref: 'openrouter/deepseek/deepseek-v3.2',
      label: 'deepseek/deepseek-v3.2',
      requests: 4,
      usage: { ...usage, costUsd: 0.0042 },
    },
  ],
  agents: { ...usage, costUsd: 0.35 },
  reviews: { ...usage, costUsd: 0.012 },
  budgets: [
    { of: 'turn', limit: 1, spent: 0.21 },
    { of: 'session', limit: 2, spent: 1.874 },
    { of: 'day', limit: 5, spent: 5.02 },
  ],
  limits: {
    at: Date.now(),
    windows: [
      { of: 'requests', per: 'minute', limit: 50, remaining: 7, resetMs: 41_000 },
      { of: 'input_tokens', per: 'minute', limit: 400_000, remaining: 310_000, resetMs: 12_000 },
      { of: 'tokens', per: 'unknown', limit: 1_000_000, remaining: 0 },
    ],
  },
});

const talk = (turnId = 't1') => [
  user(turnId, 'Mend the total'),
  answer(turnId, 1, 'It multiplies by the quantity now.'),
];

const open = (id: string) => (chat: ChatPage) => chat.testId(id).click();

const unpriced: Meter = {
  ...spent(),
  usage: { input: 5_200, output: 1_340, cacheRead: 41_000, cacheWrite: 0, reasoning: 0 },
  models: [
    { ref: 'a/b', label: 'Claude Sonnet 4.5', requests: 3, usage: { ...usage, costUsd: 0.12 } },
    {
      ref: 'c/d',
      label: 'my-own-model',
      requests: 3,
      usage: { input: 900, output: 50, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    },
  ],
};
const { costUsd: _cost, budgets: _budgets, limits: _limits, agents: _agents, reviews: _reviews, ...unknown } = unpriced;

export const modelScenes: readonly Scene[] = [
  {
    name: 'images-draft',
    messages: () => [
      snapshot({
        rows: [withImages('t1', 'The total jumps when I change the quantity. Here is before and after.', 2)],
        draft: 'And on a narrow window it looks like this',
        draftImages: attachments(3),
      }),
    ],
    act: (chat) => showPictures(chat, 5),
  },
  {
    name: 'images-many-no-vision',
    messages: () => [
      snapshot({
        rows: [withImages('t1', '', 7), answer('t1', 1, 'Seven pictures of the cart.')],
        turnResults: [turnResult('t1', { requests: 1 })],
        model: { ref: 'deepseek/deepseek-chat', label: 'DeepSeek V3.2', practice: false, vision: false },
        items: [
          item('queue', 'Then compare it with this', { attachments: attachments(2) }),
          item('queue', '', { attachments: attachments(1) }),
        ],
        draftImages: attachments(9),
      }),
    ],
    act: (chat) => showPictures(chat, 16),
  },
  {
    name: 'images-gone',
    messages: () => [snapshot({ rows: [withImages('t1', 'Look at this', 2, 'gone')] })],
    act: async (chat) => {
      await chat.replyEach('readImage', () => null);
      await chat.testId(testIds.transcript).getByText('no longer kept').first().waitFor();
    },
  },
  {
    name: 'models',
    messages: () => [snapshot({ rows: talk(), model: thinker }), models],
    act: open(testIds.modelPicker),
  },
  {
    name: 'models-search',
    messages: () => [snapshot({ rows: talk(), model: thinker }), models],
    act: async (chat) => {
      await chat.testId(testIds.modelPicker).click();
      await chat.testId(testIds.modelSearch).fill('claude o');
    },
  },
  {
    name: 'effort',
    messages: () => [snapshot({ rows: talk(), model: thinker })],
    act: open(testIds.effortPicker),
  },
  {
    name: 'cost',
    messages: () => [snapshot({ rows: talk(), model: thinker, meter: spent() })],
    act: open(testIds.cost),
  },
  {
    name: 'cost-unknown',
    messages: () => [
      snapshot({
        rows: talk(),
        meter: unknown,
        turnResults: [turnResult('t1', { requests: 1, usage: unpriced.usage })],
        model: { ref: 'mine/my-own-model', label: 'my-own-model', practice: false, vision: false },
      }),
    ],
    act: open(testIds.cost),
  },
  {
    name: 'context-full',
    messages: () => [snapshot({ rows: talk(), model: thinker, meter: spent() })],
    act: open(testIds.contextMeter),
  },
  {
    name: 'went-on',
    messages: () => {
      const rows = [
        user('t1', 'Explain the cart in detail'),
        answer('t1', 1, 'The cart keeps its lines in one list. Each line has', [], { continued: 'network' }),
      ];
      return [
        snapshot({ rows, model: thinker, state: { state: 'running', phase: 'model' } }),
        events(
          0,
          {
            type: 'notice',
            turnId: 't1',
            kind: 'reconnecting',
            text: 'The connection to the model broke while it was writing a call. Nothing of it was run; the model is asked again.',
          },
          { type: 'request.started', turnId: 't1', request: 2, attempt: 1 },
          {
            type: 'notice',
            turnId: 't1',
            kind: 'model_switched',
            text: 'Claude Sonnet 4.5 is overloaded. Claude Haiku 4.5 goes on with this turn.',
          },
          {
            type: 'delta',
            turnId: 't1',
            request: 2,
            attempt: 1,
            part: 'text',
            text: 'a price and a quantity, and **the total** is made of both.',
          },
        ),
      ];
    },
  },
];
