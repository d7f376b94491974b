import type { MarkdownRenderer } from 'vitepress';

/** A markdown-it plugin: pages that open with code get their title above it, where readers of a site look for it. */
export function titleFirst(markdown: MarkdownRenderer): void {
  markdown.core.ruler.before('inline', 'title-first', ({ tokens }) => {
    const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
    if (at > 0) tokens.unshift(...tokens.splice(at, 3));
  });
}
