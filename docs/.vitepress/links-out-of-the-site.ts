import { existsSync, statSync } from 'node:fs';
import { dirname, extname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarkdownRenderer } from 'vitepress';
import { repository } from './repository.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = resolve(root, 'docs');
const noPages = resolve(pages, 'snippets');

/** A markdown-it plugin: relative links that are right on GitHub are right on the site, too. A dead one is an error. */
export function linksOutOfTheSite(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('links-out-of-the-site', ({ tokens, env }) => {
    const page: string = env.realPath ?? env.path;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null && isRelative(href)) token.attrSet('href', onTheSite(href, page));
    }
  });
}

function isRelative(href: string): boolean {
  return !/^([a-z][a-z+.-]*:|\/|#)/i.test(href);
}

function onTheSite(href: string, page: string): string {
  const [path = '', anchor] = href.split('#');
  const target = resolve(dirname(page), decodeURI(path));
  if (!existsSync(target)) throw new Error(`${relative(root, page)} links to ${href}, and there is no such file`);
  if (isPage(target)) return href.replace(/README\.md(?=#|$)/, 'index.md');
  const kind = statSync(target).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${relative(root, target)}${anchor === undefined ? '' : `#${anchor}`}`;
}

function isPage(file: string): boolean {
  return extname(file) === '.md' && isIn(pages, file) && !isIn(noPages, file);
}

function isIn(folder: string, file: string): boolean {
  return !relative(folder, file).startsWith('..');
}
