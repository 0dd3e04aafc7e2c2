/** What the host's HTML and the page agree on beside messages. */

/** The element the chat is rendered into. */
export const rootElementId = 'midcourse';

/**
 * A `<script type="application/json">` with this id holds the table of translated strings: English text → text, as in
 * an `l10n/bundle.l10n.<language>.json`. Left out for English.
 */
export const stringsElementId = 'midcourse-strings';
