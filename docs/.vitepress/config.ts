import { defineConfig } from 'vitepress';
import { githubSlug } from '../../scripts/docs/github-slug.mjs';
import { highlightOnce } from './highlight-once.js';
import { linksOutOfTheSite } from './links-out-of-the-site.js';
import { writeTextsForModels } from './llms.js';
import { plainBraces } from './plain-braces.js';
import { repository } from './repository.js';
import { withoutColours } from './search-index.js';
import { sidebar } from './sidebar.js';

export default defineConfig({
  title: 'MCP plumbing',
  description: 'Start, supervise, restrict and call the tools that MCP servers offer, from TypeScript or a terminal',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  metaChunk: true,
  srcExclude: ['snippets/**'],
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  buildEnd: writeTextsForModels,
  vite: { build: { chunkSizeWarningLimit: 2_000 } }, // the search index is one file
  markdown: {
    anchor: { slugify: githubSlug },
    attrs: { disable: true },
    emoji: { enabled: [] },
    config: (markdown) => {
      markdown.use(highlightOnce);
      markdown.use(linksOutOfTheSite);
      markdown.use(plainBraces);
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/' },
      { text: 'Commands', link: '/cli' },
      { text: 'Errors', link: '/errors/' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local', options: { _render: withoutColours } },
    socialLinks: [{ icon: 'github', link: repository }],
  },
});
