import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../root.mjs';

// A tag can be moved to other code by whoever may write to the action's repository; a commit cannot.
const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

test('every workflow uses actions of others by commit, with the version as a comment', async () => {
  const github = join(root, '.github');
  const files = (await readdir(github, { recursive: true })).filter((name) => /\.ya?ml$/.test(name));
  const used = [];
  for (const file of files) {
    const text = await readFile(join(github, file), 'utf8');
    for (const [, action] of text.matchAll(/\buses:\s*(.*\S)/g)) used.push({ file, action });
  }
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter(({ action }) => !action.startsWith('./') && !pinned.test(action))).toEqual([]);
});
