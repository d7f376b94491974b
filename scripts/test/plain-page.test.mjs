import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { placeOf, plainPage } from '../../docs/.vitepress/plain-page.ts';
import { root } from '../root.mjs';

const folder = mkdtempSync(join(tmpdir(), 'plain-page-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The plain page of that text. Its links lead from the root of the repository, as those in text from README do. */
function plain(text, from = 'llms-full.txt') {
  const page = join(folder, 'page.md');
  writeFileSync(page, text);
  return plainPage(page, from);
}

test('comments and tags are gone, and code keeps them', () => {
  const code = '```html\n<!-- kept --> [kept](../nowhere.md)\n```';
  const page = `# Page\n\n<!-- snippet: a.ts#b -->\n${code}\n\n<details>\n<summary>All</summary>\n\nText \`<details>\`\n\n</details>`;
  expect(plain(page)).toBe(`# Page\n\n${code}\n\nAll\n\nText \`<details>\``);
});

test('a picture becomes its text', () => {
  expect(plain('![A chart](../images/none.svg) <img src="x.png" alt="A phone">')).toBe(
    'Picture: A chart Picture: A phone',
  );
});

test('a link leads to the plain page, from where the text is on the site, and else to the repository', () => {
  const page = '[a](docs/errors/README.md#list) [`b`](packages/mcp) [c](LICENSE) [d](#here)\n\n[e]: docs/cli.md';
  const online = 'https://github.com/x/mcp-plumbing/blob/main/LICENSE';
  expect(plain(page)).toBe(
    `[a](errors/index.md#list) [\`b\`](packages/mcp.md) [c](${online}) [d](#here)\n\n[e]: cli.md`,
  );
  expect(plain('[a](docs/cli.md)', 'errors/index.md')).toBe('[a](../cli.md)');
});

test('a dead link is an error', () => {
  expect(() => plain('[a](gone.md)')).toThrow(/links to gone\.md, and there is no such file/);
});

test('a region of another file takes the place of its include; a missing one is an error', () => {
  writeFileSync(join(folder, 'other.md'), 'A\n<!-- #region b -->\nB\n<!-- #endregion b -->\n');
  expect(plain('# Page\n\n<!-- @include: other.md#b -->')).toBe('# Page\n\nB');
  expect(() => plain('<!-- @include: other.md#c -->')).toThrow(/has no region "c"/);
});

test('only pages of the site and READMEs of packages have a place there', () => {
  const places = [
    'docs/README.md',
    'docs/cli.md',
    'packages/mcp-cli/README.md',
    'packages/mcp',
    'docs/snippets/x.md',
    'README.md',
  ];
  expect(places.map((path) => placeOf(join(root, path)))).toEqual([
    'index.md',
    'cli.md',
    'packages/mcp-cli.md',
    'packages/mcp.md',
    undefined,
    undefined,
  ]);
});
