/** A codicon. It says nothing by itself: what it stands beside, or its button, has the words. */
export function Icon({ name, class: className = '' }: { readonly name: string; readonly class?: string }) {
  return <span class={`codicon codicon-${name} ${className}`} aria-hidden="true" />;
}
