/** Markdown to HTML text. What it returns is still sanitised before it becomes part of the page. */

import MarkdownIt, { type Token } from 'markdown-it';
import { t } from '../l10n.ts';
import { type LinkTarget, linkTarget } from './links.ts';

/** Shared by the blocks of one text, so that a link definition is known to the blocks after it. */
export type Environment = Record<string, unknown>;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
// Schemeless words such as `index.ts` or `main.rs` are file names far more often than hosts.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (href) => linkTarget(href) !== undefined;

/** markdown-it aligns cells by `style=`, which the page's Content-Security-Policy blocks. */
for (const rule of ['th_open', 'td_open'] as const) {
  markdown.renderer.rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const alignment = /text-align:(left|center|right)/.exec(attribute(token, 'style'))?.[1];
    if (token?.attrs) token.attrs = token.attrs.filter(([name]) => name !== 'style');
    if (alignment) token?.attrJoin('class', `align-${alignment}`);
    return self.renderToken(tokens, index, options);
  };
}

markdown.renderer.rules.table_open = () => '<div class="table-scroll"><table>';
markdown.renderer.rules.table_close = () => '</table></div>';

/** Nothing is fetched from anywhere: an image is named and linked. */
markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const target = linkTarget(attribute(token, 'src'));
  const name = escaped(token?.content || t('image'));
  return target ? `<a ${linkAttributes(target)}>${name}</a>${targetMark(target)}` : name;
};

const openLinks: (LinkTarget | undefined)[] = [];

markdown.renderer.rules.link_open = (tokens, index) => {
  const token = tokens[index];
  const target = linkTarget(attribute(token, 'href'));
  const showsItself = token?.markup === 'linkify' || token?.markup === 'autolink';
  openLinks.push(showsItself ? undefined : target);
  return target ? `<a ${linkAttributes(target)}>` : '<a>';
};

markdown.renderer.rules.link_close = () => {
  const target = openLinks.pop();
  return `</a>${target ? targetMark(target) : ''}`;
};

export function renderBlock(text: string, environment: Environment): string {
  openLinks.length = 0;
  return markdown.render(text, environment);
}

/** The blocks of a text with the lines that they stand on; what is inside of their lines is not read. */
export function blockTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  markdown.block.parse(text, markdown, {}, tokens);
  return tokens;
}

/** The language of a code block by what stands behind its fence: `ts`, `ts {1,3}` and `ts title="a"` are all `ts`. */
export function languageOf(info: string): string {
  return markdown.utils.unescapeAll(info).trim().split(/[\s{]/)[0] ?? '';
}

/** Emphasis, code and links of a piece of a paragraph, without the paragraph around it. */
export function renderInline(text: string, environment: Environment): string {
  openLinks.length = 0;
  return markdown.renderInline(text, environment);
}

function linkAttributes(target: LinkTarget): string {
  switch (target.to) {
    case 'web':
    case 'mail':
      return `href="${escaped(target.href)}" title="${escaped(target.href)}"`;
    case 'file': {
      const line = target.line === undefined ? '' : ` data-line="${target.line}"`;
      const place = target.line === undefined ? target.path : `${target.path}:${target.line}`;
      return `href="#" data-path="${escaped(target.path)}"${line} title="${escaped(place)}"`;
    }
    default:
      return target satisfies never;
  }
}

/** Text can say one thing and lead to another; the host that a link leads to stands beside it. */
function targetMark(target: LinkTarget): string {
  return target.to === 'web' ? ` <span class="link-host">${escaped(target.host)}</span>` : '';
}

function attribute(token: { attrGet(name: string): string | number | null } | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '');
}

function escaped(text: string): string {
  return markdown.utils.escapeHtml(text);
}
