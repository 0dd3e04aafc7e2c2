import type { ViewSettings } from '../src/protocol/index.ts';

export type Platform = ViewSettings['platform'];

type Modifier = 'ctrlCmd' | 'alt' | 'shift';

/** A default key as it is written on a button. VS Code tells no extension which key the user has really bound. */
export function keyName(platform: Platform, key: string, ...modifiers: readonly Modifier[]): string {
  const mac = platform === 'mac';
  const written = modifiers.map((modifier) => {
    switch (modifier) {
      case 'ctrlCmd':
        return mac ? '⌘' : 'Ctrl';
      case 'alt':
        return mac ? '⌥' : 'Alt';
      case 'shift':
        return mac ? '⇧' : 'Shift';
      default:
        return modifier satisfies never;
    }
  });
  return mac ? [...written, key].join('') : [...written, key].join('+');
}

export const defaultKeys = {
  queue: (platform: Platform) => keyName(platform, 'Enter', 'alt'),
  redirect: (platform: Platform) => keyName(platform, 'Enter', 'ctrlCmd'),
  stop: () => 'Esc',
  /** Windows keeps Ctrl+Escape for its Start menu. */
  stopAnywhere: (platform: Platform) =>
    platform === 'windows' ? 'Alt+Backspace' : keyName(platform, platform === 'mac' ? 'Esc' : 'Escape', 'ctrlCmd'),
  enterCard: (platform: Platform) => keyName(platform, 'J', 'alt'),
  help: (platform: Platform) => keyName(platform, 'F1', 'alt'),
} as const;

/**
 * True while an input method owns the key. Chromium reports 229 for keys it hands to the input method; Escape and Enter
 * that end a composition may instead come with their own code and `isComposing`.
 */
export function belongsToComposition(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** The key that moves into a card that asks. Where the layout has no J, or Alt makes a sign of it, the place of J counts. */
export function entersCard(event: KeyboardEvent): boolean {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
  return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() === 'j' : event.code === 'KeyJ';
}

/**
 * Keeps an Escape for the page. VS Code forwards every other one to its keybindings, where it stops the turn; it looks
 * at propagation only and ignores `preventDefault`.
 */
export function keepEscape(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}
