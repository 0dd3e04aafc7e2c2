import { useLayoutEffect } from 'preact/hooks';
import { useSlice } from './use-slice.ts';

/** `chat.fontSize` and `chat.fontFamily` do not reach a webview's styles; the host sends them. */
export function useFonts(): void {
  const settings = useSlice((state) => state.settings);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const set = (name: string, value: string) => (value ? style.setProperty(name, value) : style.removeProperty(name));
    set('--chat-font-size', settings.fontSize > 0 ? `${settings.fontSize}px` : '');
    // `default` is how the setting says that it follows the editor.
    set('--chat-font-family', settings.fontFamily === 'default' ? '' : settings.fontFamily);
    set('--chat-code-size', settings.editorFontSize > 0 ? `${settings.editorFontSize}px` : '');
    set('--chat-code-family', settings.editorFontFamily);
  }, [settings]);
}
