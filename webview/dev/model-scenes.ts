/** What the chat shows of images, models, usage, cost and limits. */

import type { Attachment } from '../../src/api.ts';
import { testIds } from '../../src/protocol/index.ts';
import type { Scene } from './scene.ts';
import { answer, item, snapshot, turnResult, user } from './script.ts';
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

const attachments = (count: number): readonly Attachment[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'image',
    name: shots[index % shots.length]?.name ?? '',
    mime: 'image/png',
    ref: `shot-${index}`,
  }));

/** Answers each thumbnail with its picture. */
async function showPictures(chat: ChatPage, count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    await chat.replyEach('readImage', ({ ref }) => shots[Number(ref.split('-')[1]) % shots.length]?.picture ?? null);
    const drawn = await chat.page.locator('.thumbnail > img').count();
    if (drawn >= count) return;
  }
}

const withImages = (turnId: string, text: string, count: number) =>
  user(turnId, text, {
    parts: [
      { type: 'text', text },
      ...attachments(count).map(({ ref, name, mime = '' }) => ({ type: 'image' as const, mime, ref, name })),
    ],
  });

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
    messages: () => [snapshot({ rows: [withImages('t1', 'Look at this', 2)] })],
    act: async (chat) => {
      await chat.replyEach('readImage', () => null);
      await chat.testId(testIds.transcript).getByText('no longer kept').first().waitFor();
    },
  },
];
