// Every relative link in the Markdown that is read on GitHub leads to a file, and to a heading where it names one.
// Links to this repository that are written out, as npm needs them in a package's README, are looked up, too.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import MarkdownIt from 'markdown-it';
import { glob } from 'tinyglobby';
import { root } from '../root.mjs';
import { githubSlug } from './github-slug.mjs';

const markdown = new MarkdownIt({ html: true });
const pages = ['*.md', '.github/**/*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/*/*.md', 'bench/*.md'];
const notWrittenByHand = ['**/node_modules/**', 'docs/api/**', 'docs/.vitepress/**', '**/CHANGELOG.md'];
const online = /^https:\/\/github\.com\/x\/mcp-plumbing\/(?:blob|tree)\/main\//;

const anchorsOf = new Map();
const faults = [];
let count = 0;
for (const page of await glob(pages, { cwd: root, ignore: notWrittenByHand, dot: true })) {
  for (const link of await linksOf(join(root, page))) {
    count += 1;
    if (!(await leadsSomewhere(page, link))) faults.push(`${page}: ${link} leads nowhere`);
  }
}
for (const fault of faults) console.error(fault);
console.log(`${count} links, ${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;

async function linksOf(file) {
  const tokens = markdown.parse(await readFile(file, 'utf8'), {});
  const inline = tokens.flatMap(({ children }) => children ?? []);
  const written = inline.map((token) => token.attrGet('href') ?? token.attrGet('src'));
  const html = tokens
    .concat(inline)
    .flatMap(({ type, content }) => (type.startsWith('html_') ? attributesOf(content) : []));
  return [...written, ...html].filter((link) => link !== null && (online.test(link) || !/^([a-z]+:|\/)/i.test(link)));
}

function attributesOf(html) {
  return Array.from(html.matchAll(/\s(?:href|src)="([^"]+)"/g), ([, link]) => link);
}

async function leadsSomewhere(page, link) {
  const [path, anchor] = decodeURI(link).split('#');
  const base = online.test(path) ? root : dirname(join(root, page));
  const target = path === '' ? join(root, page) : resolve(base, path.replace(online, ''));
  if (relative(root, target).startsWith('..')) return false;
  if (!(await exists(target))) return false;
  return anchor === undefined || !target.endsWith('.md') || (await headings(target)).has(anchor);
}

async function exists(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** The anchors that GitHub gives to a page's headings. */
async function headings(file) {
  if (!anchorsOf.has(file)) anchorsOf.set(file, anchorsIn(await readFile(file, 'utf8')));
  return anchorsOf.get(file);
}

function anchorsIn(text) {
  const anchors = new Set();
  const tokens = markdown.parse(text, {});
  for (const [index, { type }] of tokens.entries()) {
    if (type !== 'heading_open') continue;
    const slug = githubSlug(tokens[index + 1].children.map(({ content }) => content).join(''));
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}
