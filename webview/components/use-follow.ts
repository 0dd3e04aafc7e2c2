import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Within this many px of the end the view counts as being there. */
const tolerance = 32;

/**
 * Keeps the newest line in view while the user is at the end, and never moves the page otherwise: only scrolling to the
 * end, or `toEnd`, makes it follow again. Growth above the view is the browser's scroll anchoring.
 */
export function useFollow(
  box: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
  /** Another session starts at its end. */
  sessionId: string,
  /** An empty session has no newest line: its greeting is read from the top. */
  empty: boolean,
) {
  const following = useRef(true);
  const still = useRef(empty);
  still.current = empty;
  const [atEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    following.current = true;
    setAtEnd(true);
    if (!still.current) scrollToEnd(box.current);
  }, [box]);

  useEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (!element || !inner) return;
    let lastTop = element.scrollTop;
    const onScroll = () => {
      const end = element.scrollHeight - element.clientHeight - element.scrollTop <= tolerance;
      // Content that grows moves the end away without any scrolling; only a way up is the user's.
      if (end) following.current = true;
      else if (element.scrollTop < lastTop) following.current = false;
      lastTop = element.scrollTop;
      setAtEnd(following.current);
    };
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && element.scrollHeight > element.clientHeight) following.current = false;
    };
    const grown = new ResizeObserver(() => {
      if (still.current) return;
      if (following.current) scrollToEnd(element);
      else setAtEnd(element.scrollHeight - element.clientHeight - element.scrollTop <= tolerance);
    });
    grown.observe(inner);
    grown.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: true });
    return () => {
      grown.disconnect();
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
    };
  }, [box, content]);

  useLayoutEffect(toEnd, [sessionId, toEnd]);

  return { atEnd, toEnd } as const;
}

function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}
