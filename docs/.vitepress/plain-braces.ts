import type { MarkdownRenderer } from 'vitepress';

/** A markdown-it plugin: `{{root}}` in a page is text. To Vue, which makes templates of pages, it would be code. */
export function plainBraces({ renderer: { rules } }: MarkdownRenderer): void {
  for (const kind of ['text', 'code_inline'] as const) {
    const render = rules[kind];
    if (render !== undefined) rules[kind] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
  }
}
