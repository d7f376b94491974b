// Comments, messages, names of tests and guides keep to plain English: scripts/words/word-list.mjs says which words they do
// without, and why. Prints each place; exits with 1 when there is one too many.
// Run: node scripts/check-words.mjs [--all] [folder...], such as packages/mcp-fleet or docs. --all: folders of the list `notYet`, too. Packages of `notYetShort` are not held to the bound on length.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { glob } from 'tinyglobby';
import { root } from './root.mjs';
import { proseOf, textsOf } from './words/texts.mjs';
import { notYet, notYetShort, wordData, words, wordsPerThousandLines } from './words/word-list.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false } },
});
const skipped = values.all || positionals.length > 0 ? [] : notYet;
const within = (path, folders) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`));
const isChecked = (path) => !within(path, skipped) && (positionals.length === 0 || within(path, positionals));

const files = await glob(['packages/*/{src,test,dashboard}/**/*.{ts,tsx}', 'docs/**/*.md', 'packages/*/README.md'], {
  cwd: root,
  ignore: ['**/node_modules/**', '**/dist/**', 'docs/api/**', 'docs/.vitepress/**', '**/*.d.ts'],
});

const packages = new Map();
let faults = 0;
for (const path of files.filter(isChecked).sort()) {
  const text = await readFile(join(root, path), 'utf8');
  if (path.endsWith('.md')) checkPage(path, text);
  else checkSource(path, text);
}
for (const [name, facts] of packages) checkShares(name, facts);
checkLength([...packages].filter(([name]) => !notYetShort.includes(name)).map(([, facts]) => facts));
console.log(`${packages.size} packages and the guides: ${faults} faults`);
if (faults > 0) process.exitCode = 1;

function checkPage(path, text) {
  if (wordData.includes(path)) return;
  for (const place of proseOf(text)) checkText(path, place, words.filter(isStrict));
}

function checkSource(path, text) {
  const { comments, messages } = textsOf(path, text);
  for (const place of wordData.includes(path) ? comments : [...comments, ...messages])
    checkText(path, place, words.filter(isStrict));
  if (!/^packages\/[^/]+\/(src|dashboard)\//.test(path)) return;
  const name = path.split('/').slice(0, 2).join('/');
  const facts = packages.get(name) ?? { comments: [], lines: 0 };
  packages.set(name, facts);
  facts.comments.push(...comments.map((comment) => ({ ...comment, path })));
  facts.lines += text.split('\n').length;
}

function checkText(path, { text, line }, list) {
  for (const { name, pattern, instead } of list) {
    if (pattern.test(text)) report(`${path}:${line}: ${name}: "${shortened(text)}" ${instead}`);
  }
}

function checkShares(name, { comments }) {
  for (const { name: word, pattern, share, instead } of words.filter((rule) => !isStrict(rule))) {
    const hits = comments.filter(({ text }) => pattern.test(text));
    const percent = (100 * hits.length) / comments.length;
    if (percent <= share) continue;
    for (const { path, line, text } of hits) console.error(`  ${path}:${line}: ${word}: "${shortened(text)}"`);
    report(`${name}: ${word}: ${percent.toFixed(1)} % of ${comments.length} comments, at most ${share} %. ${instead}`);
  }
}

function checkLength(all) {
  const wordCount = all
    .flatMap(({ comments }) => comments)
    .reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
  const perThousand = Math.round((1000 * wordCount) / all.reduce((sum, { lines }) => sum + lines, 0));
  if (perThousand > wordsPerThousandLines)
    report(`${perThousand} words of comments for each 1,000 lines, at most ${wordsPerThousandLines}`);
}

function isStrict({ share }) {
  return share === undefined;
}

function shortened(text) {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function report(fault) {
  faults += 1;
  console.error(fault);
}
