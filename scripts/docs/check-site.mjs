// Every link inside the built site leads to a page that is there, and to a place that is on it; and no page loads
// anything from elsewhere, so that the site works offline. VitePress itself only looks for missing pages.
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { glob } from 'tinyglobby';
import { root } from '../root.mjs';

const site = join(root, 'docs/.vitepress/dist');
const files = new Set(await glob('**', { cwd: site }));
const pages = new Map();
for (const file of files) {
  if (file.endsWith('.html')) pages.set(file, readPage(await readFile(join(site, file), 'utf8')));
}

// What stands on every page, such as the sidebar, is told once.
const faults = new Map();
for (const [file, page] of pages) {
  for (const fault of [...deadLinks(file, page), ...loadedFromElsewhere(page)]) {
    faults.set(fault, [...(faults.get(fault) ?? []), file]);
  }
}
for (const [fault, where] of faults)
  console.error(`${where[0]}: ${fault}${where.length > 1 ? `, as ${where.length - 1} others` : ''}`);
console.log(`${pages.size} pages, ${faults.size} faults`);
if (faults.size > 0 || pages.size === 0) process.exitCode = 1;

function readPage(html) {
  const all = (pattern) => Array.from(html.matchAll(pattern), ([, value]) => value.replaceAll('&amp;', '&'));
  return {
    ids: new Set(all(/\sid="([^"]+)"/g)),
    links: new Set(all(/<a\s[^>]*?href="([^"]+)"/g)),
    loaded: [...all(/<(?:img|script|iframe|source)\s[^>]*?src="([^"]+)"/g), ...all(/<link\s[^>]*?href="([^"]+)"/g)],
  };
}

function deadLinks(from, { links }) {
  return [...links].filter((link) => !isElsewhere(link) && !isThere(from, link)).map((link) => `dead link ${link}`);
}

function isThere(from, link) {
  const [path, anchor = ''] = decodeURI(link).split('#');
  const target = path === '' ? from : fileOf(posix.join('/', posix.dirname(from), path), path);
  if (!files.has(target)) return false;
  return anchor === '' || pages.get(target) === undefined || pages.get(target).ids.has(anchor);
}

function fileOf(relative, path) {
  const absolute = path.startsWith('/') ? path : relative;
  const file = absolute.slice(1);
  return file === '' || file.endsWith('/') ? `${file}index.html` : file;
}

function loadedFromElsewhere({ loaded }) {
  return loaded.filter(isElsewhere).map((address) => `loads ${address}`);
}

function isElsewhere(link) {
  return /^([a-z][a-z+.-]*:|\/\/)/i.test(link) && !link.startsWith('data:');
}
