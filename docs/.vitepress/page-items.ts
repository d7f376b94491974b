import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme } from 'vitepress';

const docs = fileURLToPath(new URL('..', import.meta.url));

/** A page under its own title. `page` is its path in docs/, without `.md`. */
export function pageItem(page: string): DefaultTheme.SidebarItem {
  return { text: titleOf(page), link: `/${page.replace(/(^|\/)README$/, '$1')}` };
}

/** A folder's README, and below it, folded away, the pages that it links to in their order there. */
export function folderItem(folder: string): DefaultTheme.SidebarItem {
  return {
    ...pageItem(`${folder}/README`),
    collapsed: true,
    items: linkedFrom(`${folder}/README`, folder).map(pageItem),
  };
}

/** The pages of docs/errors in the order of its README, those of run-time errors below the page that lists them. */
export function errorItems(): DefaultTheme.SidebarItem[] {
  const pages = linkedFrom('errors/README', 'errors');
  const isList = (page: string) => listedBy(page).length > 0;
  const lists = pages
    .filter(isList)
    .map((page) => ({ ...pageItem(page), collapsed: true, items: listedBy(page).map(pageItem) }));
  const issues = pages.filter((page) => !isList(page)).map(pageItem);
  return [pageItem('errors/README'), { text: 'Issues of a configuration', collapsed: true, items: issues }, ...lists];
}

/** `errors/manager-errors` lists `errors/manager/busy`. */
function listedBy(page: string): string[] {
  return Array.from(
    textOf(page).matchAll(/^\| \[`[a-z-]+`\]\((?<path>[a-z]+\/[a-z-]+)\.md\)/gm),
    ({ groups }) => `errors/${groups?.path}`,
  );
}

function linkedFrom(page: string, folder: string): string[] {
  const links = textOf(page).matchAll(/\]\((?<name>[a-z0-9-]+)\.md\)/g);
  return Array.from(new Set(Array.from(links, ({ groups }) => `${folder}/${groups?.name}`)));
}

/** The text of a page's first heading. */
export function titleOf(page: string): string {
  const title = /^# (.+)$/m.exec(textOf(page))?.[1];
  if (title === undefined) throw new Error(`docs/${page}.md has no title`);
  return title.replaceAll('`', '');
}

function textOf(page: string): string {
  return readFileSync(join(docs, `${page}.md`), 'utf8');
}
