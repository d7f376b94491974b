import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHostFile } from '../../src/files/find-host-file.js';
import type { HostPath } from '../../src/index.js';
import { temporaryMachine } from '../helpers/temporary-machine.js';

/** As with a packaged Claude Desktop: a folder with an unpredictable name, or the plain folder. */
async function claudeDesktop() {
  const machine = await temporaryMachine();
  const local = join(machine.home, 'Local');
  const roaming = join(machine.home, 'Roaming');
  const paths: readonly HostPath[] = [
    { path: join(local, 'Packages/Claude_*/Cache/config.json'), kind: 'pattern', inside: local, creates: false },
    { path: join(roaming, 'Claude/config.json'), kind: 'file', inside: roaming, creates: true },
  ];
  return { machine, paths, packages: 'home/Local/Packages' };
}

test('without a package folder, the plain file is created', async () => {
  const { machine, paths } = await claudeDesktop();
  const found = await findHostFile(paths);
  expect(found).toMatchObject({ exists: false, existing: [] });
  expect(found?.chosen.path).toBe(join(machine.home, 'Roaming/Claude/config.json'));
});

test('with a package folder, its file is created, and an existing file comes first', async () => {
  const { machine, paths, packages } = await claudeDesktop();
  await mkdir(join(machine.root, packages, 'Claude_abc'), { recursive: true });
  await mkdir(join(machine.root, packages, 'Other_abc'));
  const created = await findHostFile(paths);
  expect(created?.chosen.path).toBe(join(machine.root, packages, 'Claude_abc/Cache/config.json'));

  const plain = await machine.file('home/Roaming/Claude/config.json', '{}');
  expect((await findHostFile(paths))?.chosen.path).toBe(plain);

  const packaged = await machine.file(`${packages}/Claude_abc/Cache/config.json`, '{}');
  const found = await findHostFile(paths);
  expect(found?.chosen.path).toBe(packaged);
  expect(found?.existing).toEqual([packaged, plain]);
});

test('several package folders are all found', async () => {
  const { machine, paths, packages } = await claudeDesktop();
  const files = [
    await machine.file(`${packages}/Claude_a/Cache/config.json`, '{}'),
    await machine.file(`${packages}/Claude_b/Cache/config.json`, '{}'),
  ];
  expect((await findHostFile(paths))?.existing).toEqual(files);
});

test('a host without paths has no file', async () => {
  expect(await findHostFile([])).toBeUndefined();
});

test('of folders with versions the newest counts, also without a file', async () => {
  const machine = await temporaryMachine();
  const folder = join(machine.home, '.config/Google');
  const path = join(folder, 'AndroidStudio*/mcp.json');
  const paths: readonly HostPath[] = [{ path, kind: 'newest', inside: folder, creates: false }];
  expect(await findHostFile(paths)).toBeUndefined();
  const old = await machine.file('home/.config/Google/AndroidStudio2025.2.1/mcp.json', '{}');
  const copies = ['AndroidStudio2025.10.1-backup', 'AndroidStudio2025.10.1 copy', 'AndroidStudio2026.1.bak'];
  for (const name of ['AndroidStudio2025.10.1', 'AndroidStudioPreview2026.1', ...copies])
    await mkdir(join(folder, name), { recursive: true });
  await machine.file('home/.config/Google/AndroidStudio2026.1', 'no folder');
  const found = await findHostFile(paths);
  expect(found).toMatchObject({ exists: false, existing: [old] });
  expect(found?.chosen.path).toBe(join(folder, 'AndroidStudio2025.10.1/mcp.json'));
});
