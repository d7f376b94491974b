import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { publishedPackages } from '../pack-packages.mjs';
import { root } from '../root.mjs';
import { run } from '../run.mjs';

/** Copies of the workspace what is versioned and packed, and applies the waiting changesets to the copy. */
export async function versionedCopy(folder) {
  for (const name of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', 'LICENSE', '.changeset']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  for (const name of await readdir(join(root, 'packages'))) {
    const shipped = publishedPackages.includes(name)
      ? ['package.json', 'README.md', 'CHANGELOG.md', 'dist']
      : ['package.json'];
    await mkdir(join(folder, 'packages', name), { recursive: true });
    for (const part of shipped) await copyIfThere(join('packages', name, part), folder);
  }
  // Changesets finds the module that writes changelogs from here.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await run(process.execPath, [join(root, 'node_modules', '@changesets', 'cli', 'bin.js'), 'version'], { cwd: folder });
  return folder;
}

async function copyIfThere(path, folder) {
  await cp(join(root, path), join(folder, path), { recursive: true }).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
