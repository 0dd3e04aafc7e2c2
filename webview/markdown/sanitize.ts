import DOMPurify from 'dompurify';

const allowedTags = [
  ...['a', 'blockquote', 'br', 'code', 'del', 'div', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p'],
  ...['pre', 's', 'span', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
];

const allowedAttributes = ['class', 'href', 'title', 'start', 'data-path', 'data-line'];

/** The second fence behind the renderer, which already writes no raw HTML: only these tags and attributes pass. */
export function sanitize(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: allowedAttributes,
    ALLOW_DATA_ATTR: false,
    // Everything else is held to be an address.
    ADD_URI_SAFE_ATTR: ['data-path', 'data-line', 'start'],
    FORBID_ATTR: ['style'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
    RETURN_DOM_FRAGMENT: true,
  });
}
