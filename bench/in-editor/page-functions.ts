/**
 * Functions that run inside a page. They are sent as source, so each sees only its parameters.
 * Times are milliseconds since the epoch with fractions, comparable between the processes of one machine.
 */

/** What a page knows about the moment at which something became visible. */
export interface Painted {
  /** The event of the user that it followed (key or pointer); 0 when there was none. */
  readonly pressed: number;
  /** After the frame in which the condition held first. */
  readonly painted: number;
  /** Tasks of the main thread of 50 ms and more since the watch began, in ms; the platform reports no shorter ones. */
  readonly longTasks: readonly number[];
}

export type Condition =
  /** The text has come into the page. */
  | { readonly shows: string }
  /** A key or button was pressed and the page offers no Stop any more. */
  | { readonly idle: true };

/** Begins to watch; `watched` gives the outcome. One watch at a time. */
export function watch(condition: Condition): void {
  const longTasks: number[] = [];
  const tasks = new PerformanceObserver((list) => {
    longTasks.push(...list.getEntries().map((entry) => entry.duration));
  });
  tasks.observe({ type: 'longtask' });
  let pressed = 0;
  const press = (event: globalThis.Event): void => {
    if (event.isTrusted && pressed === 0) pressed = performance.timeOrigin + event.timeStamp;
  };
  const presses = ['keydown', 'pointerdown'];
  for (const type of presses) window.addEventListener(type, press, { capture: true });

  const holds = (changes: readonly MutationRecord[]): boolean => {
    if ('shows' in condition) {
      // Only what changed is looked at: reading all the text at each change would be most of the work.
      const { shows } = condition;
      return changes.some(
        ({ target, addedNodes }) =>
          (target instanceof Text && target.data.includes(shows)) ||
          [...addedNodes].some((node) => node.textContent?.includes(shows)),
      );
    }
    return pressed > 0 && document.querySelector('[data-testid="stop"]') === null;
  };

  const outcome = new Promise<Painted>((resolve) => {
    const changes = new MutationObserver((records) => {
      if (!holds(records)) return;
      changes.disconnect();
      for (const type of presses) window.removeEventListener(type, press, { capture: true });
      requestAnimationFrame(() => {
        const afterPaint = new MessageChannel();
        afterPaint.port1.onmessage = () => {
          afterPaint.port1.close();
          tasks.disconnect();
          resolve({ pressed, painted: performance.timeOrigin + performance.now(), longTasks });
        };
        afterPaint.port2.postMessage(undefined);
      });
    });
    changes.observe(document.documentElement, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });
  Reflect.set(window, 'benchOutcome', outcome);
}

export function watched(): Promise<Painted> {
  return Reflect.get(window, 'benchOutcome');
}

/**
 * The least that a page can do with the same stream: read it, take the text out of each event, append it to one text
 * node. The page has to be of the model server's own origin.
 */
export async function streamIntoPlainPage(marker: string): Promise<Painted> {
  document.body.innerHTML = '<pre style="white-space: pre-wrap"></pre>';
  const node = document.createTextNode('');
  document.querySelector('pre')?.append(node);
  const longTasks: number[] = [];
  const tasks = new PerformanceObserver((list) => {
    longTasks.push(...list.getEntries().map((entry) => entry.duration));
  });
  tasks.observe({ type: 'longtask' });
  const response = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'plain', stream: true, messages: [{ role: 'user', content: 'Write a lot' }] }),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let ended = false;
  while (!ended) {
    const { value, done } = await reader.read();
    const events = (rest + (value ?? '')).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (!event.startsWith('data: {')) continue;
      const text: string = JSON.parse(event.slice('data: '.length)).choices?.[0]?.delta?.content ?? '';
      node.appendData(text);
      ended ||= text.includes(marker);
    }
    ended ||= done;
  }
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => {
      const afterPaint = new MessageChannel();
      afterPaint.port1.onmessage = () => resolve();
      afterPaint.port2.postMessage(undefined);
    });
  });
  tasks.disconnect();
  return { pressed: 0, painted: performance.timeOrigin + performance.now(), longTasks };
}
