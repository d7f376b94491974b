// Keeps the pages about errors complete: each code of a union in the code has a page, each page is about such a code, and
// the lists of codes say what their pages say first. A list stands between two comments:
//
//   <!-- codes: manager ManagerErrorCode packages/mcp-client-manager/src/errors.ts -->
//   …
//   <!-- end of codes -->
//
// `node scripts/docs/error-codes.mjs` writes the lists anew; with `--check` it only says which ones differ, and fails.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../root.mjs';
import { firstSentence } from './first-sentence.mjs';

const errors = join(root, 'docs/errors');
const list = /(?<=<!-- codes: (?<folder>\S+) (?<type>\S+) (?<source>\S+) -->\n)[\s\S]*?(?=<!-- end of codes -->)/g;
const diagnostics = {
  page: 'registry-errors.md',
  type: 'RegistryDiagnostic',
  source: 'packages/mcp-registry/src/catalog/diagnostics.ts',
};

const isCheck = process.argv.includes('--check');
const faults = [];
const listed = new Map();
for (const page of await markdownIn('.')) await bringUpToDate(page);
for (const [folder, codes] of listed) await refuseOtherPages(folder, codes);
await checkDiagnostics(diagnostics);
for (const fault of faults) console.error(fault);
console.log(
  `${Array.from(listed.values(), (codes) => codes.size).reduce((a, b) => a + b, 0)} codes, ${faults.length} faults`,
);
if (faults.length > 0) process.exitCode = 1;

async function bringUpToDate(page) {
  const before = await readFile(join(errors, page), 'utf8');
  const lists = [];
  for (const { groups } of before.matchAll(list)) lists.push(await listOf(groups));
  const after = before.replaceAll(list, () => lists.shift());
  if (after === before) return;
  if (isCheck)
    faults.push(`docs/errors/${page}: a list of codes is out of date; run: node scripts/docs/error-codes.mjs`);
  else await writeFile(join(errors, page), after);
}

async function listOf({ folder, type, source }) {
  const codes = await codesOf(source, type);
  const known = listed.get(folder) ?? new Set();
  listed.set(folder, known);
  const rows = [];
  for (const code of codes) {
    known.add(code);
    rows.push(`| [\`${code}\`](${folder}/${code}.md) | ${await meaningOf(folder, code)} |`);
  }
  return `\n| Code | Meaning |\n| --- | --- |\n${rows.join('\n')}\n\n`;
}

/** The first sentence of a code's page. */
async function meaningOf(folder, code) {
  const text = await readFile(join(errors, folder, `${code}.md`), 'utf8').catch(() => undefined);
  const first = text?.split(`# ${code}\n\n`)[1]?.split('\n\n')[0]?.replaceAll('\n', ' ');
  if (first === undefined) faults.push(`docs/errors/${folder}/${code}.md is missing, or does not begin with its title`);
  return firstSentence(first ?? '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('|', '\\|');
}

async function refuseOtherPages(folder, codes) {
  for (const page of await markdownIn(folder)) {
    if (!codes.has(page.slice(0, -3))) faults.push(`docs/errors/${folder}/${page} is about no code that there is`);
  }
}

async function checkDiagnostics({ page, type, source }) {
  const table = (await readFile(join(errors, page), 'utf8')).split('## Diagnostics')[1] ?? '';
  const shown = Array.from(table.matchAll(/^\| `([a-z-]+)` \|/gm), ([, code]) => code);
  const codes = await codesOf(source, type);
  for (const code of codes)
    if (!shown.includes(code)) faults.push(`docs/errors/${page} does not list the diagnostic ${code}`);
  for (const code of shown)
    if (!codes.includes(code)) faults.push(`docs/errors/${page} lists ${code}, which is no diagnostic`);
}

/** The texts that a union consists of, or that the `code` of its members can be, but for those of other types. */
async function codesOf(source, type) {
  const file = ts.createSourceFile(source, await readFile(join(root, source), 'utf8'), ts.ScriptTarget.Latest, true);
  const declared = file.statements.find(
    (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === type,
  );
  if (declared === undefined) throw new Error(`${source} has no type ${type}`);
  return literalsIn(declared.type);
}

function literalsIn(node) {
  if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) return node.types.flatMap(literalsIn);
  if (ts.isParenthesizedTypeNode(node)) return literalsIn(node.type);
  if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) return [node.literal.text];
  if (!ts.isTypeLiteralNode(node)) return [];
  return node.members.filter(({ name }) => name?.getText() === 'code').flatMap(({ type }) => literalsIn(type));
}

async function markdownIn(folder) {
  return (await readdir(join(errors, folder))).filter((name) => name.endsWith('.md'));
}
