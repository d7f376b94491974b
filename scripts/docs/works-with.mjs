// Keeps docs/works-with.md equal to its data, which check:clients and check:models write. Without `--check` it writes the
// page anew.
import { readFile, writeFile } from 'node:fs/promises';
import { worksWithPage } from '../works-with/page.mjs';
import { pageFile, readData } from '../works-with/results.mjs';

const page = worksWithPage(await readData());
if (!process.argv.includes('--check')) await writeFile(pageFile, page);
else if ((await readFile(pageFile, 'utf8')) !== page) {
  console.error('docs/works-with.md differs from docs/works-with.json. Run node scripts/docs/works-with.mjs');
  process.exitCode = 1;
} else console.log('docs/works-with.md agrees with its data');
