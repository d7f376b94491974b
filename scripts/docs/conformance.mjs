// Keeps docs/conformance.md equal to its data, which check:conformance and check:server-conformance write. Without `--check`
// it writes the page anew.
import { readFile, writeFile } from 'node:fs/promises';
import { pageFile, readData } from '../conformance/results.mjs';
import { conformancePage } from '../conformance/results-page.mjs';

const page = conformancePage(await readData());
if (!process.argv.includes('--check')) await writeFile(pageFile, page);
else if ((await readFile(pageFile, 'utf8')) !== page) {
  console.error('docs/conformance.md differs from docs/conformance.json. Run node scripts/docs/conformance.mjs');
  process.exitCode = 1;
} else console.log('docs/conformance.md agrees with its data');
