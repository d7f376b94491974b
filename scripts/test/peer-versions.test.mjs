import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { root } from '../root.mjs';
import { measuredPeers, readData } from '../works-with/results.mjs';

const { peers } = await readData();
const textOf = (page) => readFileSync(join(root, page), 'utf8');
const pages = globSync(
  [
    'README.md',
    'docs/README.md',
    'docs/benchmarks*.md',
    'docs/comparison.md',
    'docs/connects-to.md',
    'docs/compare-chat.md',
  ],
  { cwd: root },
);

/** Versions that a text gives to a package, as in `mcporter 0.12.3` and in links to the registry. */
function versionsIn(text, name) {
  const mention = new RegExp(`(?<![\\w@/-])${name}(?:\`? |/v/)(\\d+\\.\\d+\\.\\d+)`, 'g');
  return [...text.matchAll(mention)].map(([, version]) => version);
}

test('the benchmarks measure the versions that docs/works-with.json has', () => {
  const versions = peers.map(({ name, measured }) => [name, measured]);
  expect(Object.fromEntries(versions)).toEqual(measuredPeers);
});

test.each(peers)(
  'each page with numbers or features of $name names $measured, which the newest run compared',
  (peer) => {
    const { name, measured, newest } = peer;
    const found = pages.flatMap((page) => versionsIn(textOf(page), name).map((version) => ({ page, version })));
    expect(found).toContainEqual({ page: 'docs/benchmarks.md', version: measured });
    // A page may say what a newer version does otherwise.
    expect(found.filter(({ version }) => version !== measured && version !== newest)).toEqual([]);
  },
);

test('the comparison says why it has no newer version of a peer', () => {
  const aged = peers.filter(({ measured, newest }) => measured !== newest);
  const comparison = textOf('docs/comparison.md');
  expect(aged.filter(({ name, newest }) => !versionsIn(comparison, name).includes(newest))).toEqual([]);
});
