// Writes docs/requirements.md from packages/mcp-cli/test/requirements/statements.yaml. With `--check` it only compares, and
// fails if they differ.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../root.mjs';

const page = join(root, 'docs/requirements.md');
const source = 'packages/mcp-cli/test/requirements/statements.yaml';
const parts = parse(await readFile(join(root, source), 'utf8'));
const written = pageOf(parts);
const before = await readFile(page, 'utf8').catch(() => '');

if (written !== before && process.argv.includes('--check')) {
  console.error('docs/requirements.md is out of date; run: node scripts/docs/requirements.mjs');
  process.exitCode = 1;
} else if (written !== before) await writeFile(page, written);
console.log(`${parts.flatMap(({ rows }) => rows).length} statements`);

function pageOf(all) {
  const rows = all.flatMap((part) => part.rows);
  const head = `# Requirements

Four documents asked for this system: a live registry with a search tool, a client service for MCP servers, a strategy for
the integration of servers, and a sync of configurations. This page has each of their statements and says whether it holds.

**${rows.length} statements: ${rows.filter(holds).length} hold, ${rows.filter((row) => !holds(row)).length} are met in another way.**

| Document | Statements | Hold | Otherwise |
| --- | ---: | ---: | ---: |
${all.map(countsOf).join('\n')}

A statement *holds* if a test shows it. The tests are in [packages/mcp-cli/test/requirements](../packages/mcp-cli/test/requirements), each with the
number and the text of its statement. They run the samples of the documents (YAML, JSON, commands, tables of fields), unchanged, against
real servers. Where a sample names a server that npm does not have, a test server with the same tools replaces it. *Otherwise* links to the reason.
`;
  return `${[head, ...all.map(sectionOf)].join('\n')}`;
}

function countsOf({ title, rows }) {
  const holding = rows.filter(holds).length;
  const anchor = title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
  return `| [${title}](#${anchor}) | ${rows.length} | ${holding} | ${rows.length - holding} |`;
}

function sectionOf({ title, rows }) {
  return `## ${title}\n\n| # | Statement | Result | Read on |\n| ---: | --- | --- | --- |\n${rows.map(lineOf).join('\n')}\n`;
}

function lineOf(row) {
  const { number, says, instead, otherwise, more } = row;
  const [result, target] = holds(row) ? ['holds', more] : [`otherwise: ${instead}`, `decisions/${otherwise}`];
  return `| ${number} | ${cell(says)} | ${cell(result)} | [${nameOf(target)}](${target}) |`;
}

function holds({ otherwise }) {
  return otherwise === undefined;
}

/** `cli.md#check-it` as `cli: check it`. */
function nameOf(target) {
  const [path, anchor] = target.replace(/^\.\.\//, '').split('#');
  const name = path.replace(/(\/README)?\.md$/, '').replace(/^decisions\//, 'decision: ');
  return anchor === undefined ? name : `${name}: ${anchor.replaceAll('-', ' ')}`;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
