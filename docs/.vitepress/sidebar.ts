import { readdirSync } from 'node:fs';
import type { DefaultTheme } from 'vitepress';
import { apiSidebars } from './api-sidebar.js';
import { type Group, groups } from './groups.js';
import { errorItems, folderItem, pageItem } from './page-items.js';

const docs = new URL('../', import.meta.url);

/** One sidebar for the guides, one for the codes of errors, and one for each module of the API. */
export function sidebar(): DefaultTheme.SidebarMulti {
  refuseUnlistedPages();
  return {
    '/': [{ text: 'Overview', link: '/' }, ...groups.map(groupItem)],
    '/errors/': errorSidebar(),
    ...apiSidebars(),
  };
}

function errorSidebar(): DefaultTheme.SidebarItem[] {
  return [
    { text: 'Overview', link: '/' },
    { text: 'Errors', items: errorItems() },
  ];
}

function groupItem({ title, pages, folders = [] }: Group): DefaultTheme.SidebarItem {
  return { text: title, items: [...pages.map(pageItem), ...folders.map(folderItem)] };
}

function refuseUnlistedPages(): void {
  const listed = new Set(['README', ...groups.flatMap(({ pages }) => pages)]);
  const unlisted = readdirSync(docs).filter((name) => name.endsWith('.md') && !listed.has(name.slice(0, -3)));
  if (unlisted.length > 0) throw new Error(`docs/.vitepress/groups.ts has no place for ${unlisted.join(', ')}`);
}
