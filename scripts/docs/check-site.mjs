// Every link inside the built site leads to a page that is there, and to a place that is on it; and no page loads
// anything from elsewhere, so that the site works offline. VitePress itself only looks for missing pages.
// The same holds for the texts for language models; llms.txt names every guide, and llms-full.txt contains it.
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
const texts = new Map();
for (const file of files) {
  if (/\.md$|^llms.*\.txt$/.test(file)) texts.set(file, withoutCode(await readFile(join(site, file), 'utf8')));
}
for (const [file, text] of texts) {
  const tags = text.match(/<!--|<\/?(?:details|summary|img)\b/g) ?? [];
  for (const fault of [...deadLinks(file, { links: textLinks(text) }), ...tags.map((tag) => `has the tag ${tag}`)]) {
    faults.set(fault, [...(faults.get(fault) ?? []), file]);
  }
}
for (const fault of await missingGuides()) faults.set(fault, ['docs']);

for (const [fault, where] of faults)
  console.error(`${where[0]}: ${fault}${where.length > 1 ? `, as ${where.length - 1} others` : ''}`);
console.log(`${pages.size} pages, ${texts.size} texts for language models, ${faults.size} faults`);
if (faults.size > 0 || pages.size === 0) process.exitCode = 1;

function readPage(html) {
  const all = (pattern) => Array.from(html.matchAll(pattern), ([, value]) => value.replaceAll('&amp;', '&'));
  return {
    ids: new Set(all(/\sid="([^"]+)"/g)),
    links: new Set(all(/<a\s[^>]*?href="([^"]+)"/g)),
    loaded: [...all(/<(?:img|script|iframe|source)\s[^>]*?src="([^"]+)"/g), ...all(/<link\s[^>]*?href="([^"]+)"/g)],
  };
}

function withoutCode(text) {
  return text.replace(/^ *```[\s\S]*?^ *```$|`[^`\n]*`/gm, '');
}

/** The targets of links, inline and by reference. */
function textLinks(text) {
  const targets = text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm);
  return new Set(Array.from(targets, ([, inline, byReference]) => inline ?? byReference));
}

/** Guides, by their names on the site, that `llms.txt` has no link to or that `llms-full.txt` does not contain. */
async function missingGuides() {
  const guides = (await glob('*.md', { cwd: join(root, 'docs') })).filter((guide) => guide !== 'README.md');
  const [list, full] = ['llms.txt', 'llms-full.txt'].map((name) => texts.get(name) ?? '');
  return [
    ...guides.filter((guide) => !textLinks(list).has(guide)).map((guide) => `llms.txt has no link to ${guide}`),
    ...guides.filter((guide) => !full.includes(`Source: ${guide}\n`)).map((guide) => `llms-full.txt lacks ${guide}`),
  ];
}

function deadLinks(from, { links }) {
  return [...links].filter((link) => !isElsewhere(link) && !isThere(from, link)).map((link) => `dead link ${link}`);
}

function isThere(from, link) {
  const [path, anchor = ''] = decodeURI(link).split('#');
  const target = path === '' ? from : fileOf(posix.join('/', posix.dirname(from), path), path);
  if (!files.has(target)) return false;
  const page = pages.get(target.replace(/\.md$/, '.html'));
  return anchor === '' || page === undefined || page.ids.has(anchor);
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
