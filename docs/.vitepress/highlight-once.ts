import type { MarkdownRenderer } from 'vitepress';

/**
 * A markdown-it plugin that keeps highlighted code. VitePress renders each page for the server and for the browser, and its
 * own cache holds fewer pages than there are.
 */
export function highlightOnce({ options }: MarkdownRenderer): void {
  const { highlight } = options;
  if (!highlight) return;
  const known = new Map<string, string>();
  options.highlight = (...given) => {
    const key = JSON.stringify(given);
    const html = known.get(key) ?? highlight(...given);
    known.set(key, html);
    return html;
  };
}
