import { existsSync, statSync } from 'node:fs';
import { dirname, extname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarkdownRenderer } from 'vitepress';
import { repository } from './repository.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = resolve(root, 'docs');
const noPages = resolve(pages, 'snippets');

/**
 * A markdown-it plugin: relative links that are right on GitHub are right on the site, too. A dead one is an error. Text that
 * a page includes from README has links from the root of the repository.
 */
export function linksOutOfTheSite(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('links-out-of-the-site', ({ tokens, env }) => {
    const page: string = env.realPath ?? env.path;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const isShown = token.type === 'image';
      const name = isShown ? 'src' : 'href';
      const link = token.attrGet(name);
      if (link !== null && isRelative(link)) token.attrSet(name, onTheSite(link, page, isShown));
    }
  });
}

/** Pictures of the site have no address of their own, so a link leads to GitHub. */
function onTheSite(link: string, page: string, isShown: boolean): string {
  const { file, anchor } = targetOf(link, page);
  if (!isPage(file) && !(isShown && isPicture(file))) return `${onGitHub(file)}${anchor}`;
  return `${relative(dirname(page), file).replace(/README\.md$/, 'index.md')}${anchor}`;
}

export function isRelative(link: string): boolean {
  return !/^([a-z][a-z+.-]*:|\/|#)/i.test(link);
}

/** The file or folder that a relative link of a page leads to, and its anchor with the `#`, or an empty text. */
export function targetOf(link: string, page: string): { readonly file: string; readonly anchor: string } {
  const [path = '', ...anchor] = link.split(/(?=#)/);
  const file = [dirname(page), root].map((folder) => resolve(folder, decodeURI(path))).find(existsSync);
  if (file === undefined) throw new Error(`${relative(root, page)} links to ${link}, and there is no such file`);
  const isHome = file === resolve(root, 'README.md'); // the site's home page includes what pages link to there
  return { file: isHome ? resolve(pages, 'README.md') : file, anchor: anchor.join('') };
}

/** Address of a file or folder of the repository. */
export function onGitHub(file: string): string {
  return `${repository}/${statSync(file).isDirectory() ? 'tree' : 'blob'}/main/${relative(root, file)}`;
}

function isPicture(file: string): boolean {
  return /\.(png|svg|webp)$/.test(file) && isIn(pages, file);
}

function isPage(file: string): boolean {
  return extname(file) === '.md' && isIn(pages, file) && !isIn(noPages, file);
}

function isIn(folder: string, file: string): boolean {
  return !relative(folder, file).startsWith('..');
}
