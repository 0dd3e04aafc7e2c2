import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Ahead of the view, so that scrolling finds everything drawn. */
const ahead = '1500px 0px';

/** True from the start if `eager`, otherwise from the moment at which the element first comes near the view. */
export function useNear(element: RefObject<HTMLElement | null>, eager: boolean): boolean {
  const [near, setNear] = useState(eager);
  useEffect(() => {
    const watched = element.current;
    if (near || !watched) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { root: watched.closest('.transcript'), rootMargin: ahead },
    );
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element, near]);
  return near;
}
