import { useEffect, useState } from 'preact/hooks';
import { useChat } from '../chat.ts';

/**
 * Images that are dropped anywhere on the chat go with the text in the composer. VS Code gives a drag to the page while
 * Shift is held.
 *
 * @returns true while files are held over the page
 */
export function useDroppedFiles(enabled: boolean): boolean {
  const chat = useChat();
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!enabled) return;
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => {
      // Only when it leaves the page, not when it goes from one element to another.
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      chat.images.add([...(event.dataTransfer?.files ?? [])]);
      chat.composerFocus.value++;
    };
    document.addEventListener('dragover', onDragOver);
    document.addEventListener('dragleave', onDragLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onDragOver);
      document.removeEventListener('dragleave', onDragLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, [chat, enabled]);
  return over;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
