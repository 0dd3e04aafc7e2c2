/** Up and Down move the focus between messages, Home and End to the first and last; inside a control they are its own. */
export function moveBetweenMessages(event: KeyboardEvent, transcript: HTMLElement | null): void {
  const from = event.target;
  if (!transcript || !(from instanceof HTMLElement)) return;
  if (from !== transcript && from.dataset.message === undefined) return;
  const messages = [...transcript.querySelectorAll<HTMLElement>('[data-message]')];
  const at = from === transcript ? messages.length : messages.indexOf(from);
  const to = neighbour(event.key, at, messages.length);
  const target = to === undefined ? undefined : messages[to];
  if (!target) return;
  event.preventDefault();
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'nearest' });
}

function neighbour(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return at - 1;
    case 'ArrowDown':
      return at + 1;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
