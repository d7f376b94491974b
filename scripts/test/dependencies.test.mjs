import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishedPackages } from '../pack-packages.mjs';
import { root } from '../root.mjs';

const decisions = await readFile(join(root, 'docs', 'decisions', 'libraries.md'), 'utf8');

test.each(publishedPackages)('what %s depends on is there for a reason that is written down', async (name) => {
  const manifest = JSON.parse(await readFile(join(root, 'packages', name, 'package.json'), 'utf8'));
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const foreign = needed.filter((dependency) => !dependency.startsWith('@x/'));
  expect(foreign.filter((dependency) => !decisions.includes(`\`${dependency}\``))).toEqual([]);
});
