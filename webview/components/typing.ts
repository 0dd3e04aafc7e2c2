let typedAt = Number.NEGATIVE_INFINITY;

/** When a key was last pressed in a text field, on the clock of `performance.now()`. */
export function lastTyped(): number {
  return typedAt;
}

/** Follows the keys of the page. The returned function ends it. */
export function watchTyping(page: Document): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) typedAt = performance.now();
  };
  page.addEventListener('keydown', onKeyDown, { capture: true });
  return () => page.removeEventListener('keydown', onKeyDown, { capture: true });
}
