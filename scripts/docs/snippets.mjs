// Keeps the code in the documentation equal to code that runs. A fence is cut from a file's region:
//
//   <!-- snippet: docs/snippets/roles.ts#restrict -->        // #region restrict
//   ```ts                                                    …
//   …                                                        // #endregion restrict
//   ```
//
// `node scripts/docs/snippets.mjs` writes the fences anew; with `--check` it only says which ones differ, and fails.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import { root } from '../root.mjs';

const marker = /^<!-- snippet: (?<file>[^#\s]+)#(?<region>\S+) -->$/;
const fence = /^```(?<language>\w*)/;
const mustBeCut = new Set(['ts', 'tsx', 'typescript', 'js', 'mjs', 'javascript']);

const pages = ['README.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/README.md', 'bench/README.md'];
const notWrittenByHand = ['**/node_modules/**', 'docs/api/**', 'docs/.vitepress/**'];

const isCheck = process.argv.includes('--check');
const faults = [];
let count = 0;
for (const page of await glob(pages, { cwd: root, ignore: notWrittenByHand })) await bringUpToDate(page);
for (const fault of faults) console.error(fault);
console.log(`${count} snippets, ${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;

async function bringUpToDate(page) {
  const path = join(root, page);
  const before = await readFile(path, 'utf8');
  const after = await rewrite(page, before.split('\n'));
  if (after === before) return;
  if (isCheck) faults.push(`${page}: a snippet differs from its source; run: node scripts/docs/snippets.mjs`);
  else await writeFile(path, after);
}

async function rewrite(page, lines) {
  const out = [];
  for (let at = 0; at < lines.length; at += 1) {
    out.push(lines[at]);
    const language = fence.exec(lines[at])?.groups.language;
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end < 0) {
      faults.push(`${page}:${at + 1}: this fence does not end`);
      return lines.join('\n');
    }
    out.push(...(await insideOf(page, lines, at, end, language)), lines[end]);
    at = end;
  }
  return out.join('\n');
}

/** What belongs between the two lines of a fence. */
async function insideOf(page, lines, start, end, language) {
  const asItIs = lines.slice(start + 1, end);
  const source = marker.exec(lines[start - 1] ?? '')?.groups;
  if (source === undefined) {
    if (mustBeCut.has(language))
      faults.push(`${page}:${start + 1}: code that is cut from no file (no snippet comment)`);
    return asItIs;
  }
  count += 1;
  const region = await regionOf(source.file, source.region);
  if (region === undefined) faults.push(`${page}:${start}: ${source.file} has no region "${source.region}"`);
  return region ?? asItIs;
}

/** The lines of a region without their common indent; undefined when there is no such region. `#*` is the whole file. */
async function regionOf(file, region) {
  const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.trimEnd().split('\n');
  const start = region === '*' ? -1 : lines.findIndex((line) => isMark(line, `#region ${region}`));
  const end = region === '*' ? lines.length : lines.findIndex((line) => isMark(line, `#endregion ${region}`));
  if (region !== '*' && (start < 0 || end <= start)) return undefined;
  const inside = withoutBlankEnds(
    lines.slice(start + 1, end).filter((line) => !/^\s*(\/\/|#) #(end)?region /.test(line)),
  );
  const indent = Math.min(...inside.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return inside.map((line) => line.slice(indent));
}

/** Formatters put a blank line before a mark that is followed by an import. */
function withoutBlankEnds(lines) {
  const isText = (line) => line.trim() !== '';
  return lines.slice(lines.findIndex(isText), lines.findLastIndex(isText) + 1);
}

function isMark(line, mark) {
  return line.trim() === `// ${mark}` || line.trim() === `# ${mark}`;
}
