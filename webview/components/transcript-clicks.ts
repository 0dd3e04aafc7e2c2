import { testIds } from '../../src/protocol/index.ts';
import type { Chat } from '../chat.ts';
import { codeOfButton } from '../markdown/code-block.ts';

/** Links and code buttons inside rendered markdown, which is no component's. */
export function actOnClick(event: MouseEvent, chat: Chat): void {
  const { target } = event;
  if (!(target instanceof Element)) return;
  const link = target.closest('a');
  if (link) {
    // VS Code opens links that reach the document by itself, also those that lead nowhere it should go.
    event.preventDefault();
    event.stopPropagation();
    follow(link, chat);
    return;
  }
  const button = target.closest<HTMLElement>('button[data-testid]');
  const code = button && codeOfButton(button);
  if (code === undefined || code === null) return;
  if (button?.dataset.testid === testIds.copyCode) {
    chat.host.notify({ type: 'copy', text: code });
    showDone(button);
  } else if (button?.dataset.testid === testIds.insertCode) {
    chat.host.notify({ type: 'insertAtCursor', text: code });
  }
}

function follow(link: HTMLAnchorElement, chat: Chat): void {
  const { path, line } = link.dataset;
  if (path !== undefined) {
    chat.host.notify({ type: 'openFile', path, ...(line !== undefined && { line: Number(line) }) });
  } else if (/^(?:https?|mailto):/i.test(link.href)) {
    chat.host.notify({ type: 'openLink', href: link.href });
  }
}

/** A tick in place of the icon for a moment. */
function showDone(button: HTMLElement): void {
  button.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => button.classList.replace('codicon-check', 'codicon-copy'), 1_200);
}
