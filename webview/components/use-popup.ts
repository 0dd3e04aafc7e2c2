import { useCallback, useRef, useState } from 'preact/hooks';

/** Whether a popup is open, and the button that gets the focus back. */
export function usePopup() {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const toggle = useCallback(() => setOpen((was) => !was), []);
  const close = useCallback((how: 'keyboard' | 'elsewhere' = 'keyboard') => {
    setOpen(false);
    if (how === 'keyboard') button.current?.focus();
  }, []);
  return { open, button, toggle, close } as const;
}
