import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { publishedPackages } from '../pack-packages.mjs';
import { root } from '../root.mjs';

const textOf = (...path) => readFileSync(join(root, ...path), 'utf8');
const contributing = textOf('CONTRIBUTING.md').split('## Where things are')[1];
const sections = contributing.split(/^### /m);

/** What is not there, of paths in which `*` may stand for any text. */
function missing(paths, cwd) {
  return paths.filter(
    (path) => globSync(path, { cwd, dot: true, onlyFiles: false, expandDirectories: false }).length === 0,
  );
}

function lookedIn(section) {
  const cells = section.split('\n').flatMap((line) => /^\| .* \| (.*) \|$/.exec(line)?.[1] ?? []);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`\s]+(?:\/|\.m?ts|\*))`/g), ([, path]) => path));
}

test('the tree in CONTRIBUTING has only what is there', () => {
  const tree = /```text\n([\s\S]*?)```/.exec(contributing)[1].trim().split('\n');
  const paths = tree.map((line) => line.split(/ {2,}/)[0].replace('<story>', '*'));
  expect(missing(paths, root)).toEqual([]);
});

describe.each(publishedPackages)('packages/%s', (name) => {
  const section = sections.find((each) => each.startsWith(`\`packages/${name}/src/\``)) ?? '';
  const source = join(root, 'packages', name, 'src');

  test('CONTRIBUTING says what each folder of it is for', () => {
    const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => `${entry.name}/`).filter((folder) => !section.includes(`\`${folder}\``))).toEqual([]);
  });

  test('what CONTRIBUTING names of it is there', () => {
    expect(missing(lookedIn(section), source)).toEqual([]);
  });
});

test('what CONTRIBUTING names elsewhere is there', () => {
  expect(missing(lookedIn(sections.find((each) => each.startsWith('Elsewhere'))), root)).toEqual([]);
});
