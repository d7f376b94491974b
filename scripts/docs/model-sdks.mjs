// Writes into the guide which versions of SDKs `check:models` tries, between two comments:
//
//   <!-- model SDKs: scripts/models/sdks.json -->
//   …
//   <!-- end of model SDKs -->
//
// With `--check` it only compares, and fails if they differ.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../root.mjs';

const page = join(root, 'docs/model-apis.md');
const place = /(?<=<!-- model SDKs: (?<source>\S+) -->\n)[\s\S]*?(?=<!-- end of model SDKs -->)/;

const before = await readFile(page, 'utf8');
const { source } = place.exec(before).groups;
const sdks = JSON.parse(await readFile(join(root, source), 'utf8'));
const after = before.replace(place, () => tableOf(sdks));

if (after !== before && process.argv.includes('--check')) {
  console.error('docs/model-apis.md is out of date; run: node scripts/docs/model-sdks.mjs');
  process.exitCode = 1;
} else if (after !== before) await writeFile(page, after);
console.log(`${sdks.length} SDKs of model APIs`);

function tableOf(all) {
  const rows = all.flatMap(({ sdk, majors }) => Object.entries(majors).map(([major, each]) => rowOf(sdk, major, each)));
  return `\n| SDK | From | With |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`;
}

function rowOf(sdk, major, { oldest, with: others = {} }) {
  const named = Object.entries(others).map(([name, { oldest: first }]) => `\`${name}\` ${first}`);
  return `| \`${sdk}\` ${major} | ${oldest} | ${named.join(', ')} |`;
}
