import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { groups } from '../../docs/.vitepress/groups.ts';
import { root } from '../root.mjs';

const textOf = (page) => readFileSync(join(root, page), 'utf8');

test('every page begins with its title', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md', 'bench/README.md'], {
    cwd: root,
    ignore: ['**/node_modules/**', 'docs/api/**', 'docs/.vitepress/**'],
  });
  expect(pages.length).toBeGreaterThan(100);
  expect(pages.filter((page) => !textOf(page).startsWith('# '))).toEqual([]);
});

test.each(['docs', 'docs/decisions'])('every page of %s is in its list', (folder) => {
  const list = textOf(`${folder}/README.md`);
  const pages = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(pages.filter((page) => !list.includes(`(${page})`))).toEqual([]);
});

test('every page of docs has its place in the sidebar of the site', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const placed = groups.flatMap((group) => group.pages.map((page) => `${page}.md`));
  expect(pages.filter((page) => !placed.includes(page))).toEqual([]);
});
