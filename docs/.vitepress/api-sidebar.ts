import { readFileSync } from 'node:fs';
import type { DefaultTheme } from 'vitepress';

/** What typedoc-plugin-markdown writes of the modules and what they export. */
interface Entry {
  readonly title: string;
  readonly path?: string;
  readonly children?: readonly Entry[];
}

/** By path: the list of modules, and for each module also all that it exports. */
export function apiSidebars(): DefaultTheme.SidebarMulti {
  const modules = readModules();
  const entries = modules.map((module) => [folderOf(module), besides(module, modules)] as const);
  return { '/api/': [moduleList(modules)], ...Object.fromEntries(entries) };
}

function besides(current: Entry, modules: readonly Entry[]): DefaultTheme.SidebarItem[] {
  const called = (current.children ?? []).filter(({ title }) => title === 'Functions' || title === 'Classes');
  const here = called.map((kind) => ({ text: kind.title, items: (kind.children ?? []).map(link) }));
  return [moduleList(modules), ...here];
}

/** The entries of a package stand below it, as `/node` below `@x/mcp-registry`. */
function moduleList(modules: readonly Entry[]): DefaultTheme.SidebarItem {
  const isPackage = ({ title }: Entry) => title.split('/').length === 2;
  const entriesOf = (name: string) => modules.filter(({ title }) => title.startsWith(`${name}/`));
  const items = modules.filter(isPackage).map((module) => ({
    ...link(module),
    items: entriesOf(module.title).map((entry) => ({ ...link(entry), text: entry.title.slice(module.title.length) })),
  }));
  return { text: 'Modules', items };
}

function link({ title, path = '' }: Entry): DefaultTheme.SidebarItem {
  return { text: title, link: `/api/${path.replace(/(index)?\.md$/, '')}` };
}

function folderOf({ path = '' }: Entry): string {
  return `/api/${path.replace(/index\.md$/, '')}`;
}

function readModules(): readonly Entry[] {
  return JSON.parse(readFileSync(new URL('../api/navigation.json', import.meta.url), 'utf8'));
}
