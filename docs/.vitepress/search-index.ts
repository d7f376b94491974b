import type { MarkdownEnv } from 'vitepress';

interface Renderer {
  readonly options: { highlight?: unknown };
  render(source: string, env: MarkdownEnv): string;
}

/** Renders a page for the search index, which has no use for the colours of code; they take most of the time. */
export function withoutColours(source: string, env: MarkdownEnv, markdown: Renderer): string {
  const { highlight } = markdown.options;
  markdown.options.highlight = null;
  try {
    return markdown.render(source, env);
  } finally {
    markdown.options.highlight = highlight;
  }
}
