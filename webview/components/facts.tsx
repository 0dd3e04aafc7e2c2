import type { Fact, Used } from '../state/spending-words.ts';
import { Icon } from './icon.tsx';

/** Names on the left, what they come to on the right. */
export function Facts({ of }: { readonly of: readonly Fact[] }) {
  if (of.length === 0) return null;
  return (
    <dl>
      {of.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How far limits are used up: a bar, and words where one is nearly or wholly. */
export function UsedFacts({ of }: { readonly of: readonly Used[] }) {
  return (
    <dl>
      {of.map(({ name, value, share, level, words }) => (
        <div key={name} class={`used ${level}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <svg class="used-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect width="100" height="4" />
            <rect class="used-share" width={100 * share} height="4" />
          </svg>
          {words && (
            <span class="used-words">
              <Icon name="warning" /> {words}
            </span>
          )}
        </div>
      ))}
    </dl>
  );
}
