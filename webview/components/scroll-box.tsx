import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface ScrollBoxProps {
  readonly class: string;
  /** Its name for a screen reader, once it scrolls. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Scrolls when it has to; then it shows its scroll bar and a shadow where there is more, and can be reached by Tab. */
export function ScrollBox({ class: className, label, children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      setScrolls(element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    look();
    return () => observer.disconnect();
  }, []);
  const reachable = scrolls ? ({ tabIndex: 0, role: 'region', 'aria-label': label } as const) : {};
  return (
    <div ref={box} class={`${className} ${scrolls ? 'scrolls' : ''}`} {...reachable}>
      {children}
    </div>
  );
}
