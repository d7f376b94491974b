import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { currentPlace, type HostPlace } from '../../../src/hosts.js';

/** A home, a project and a state directory of their own, gone after the test. */
export interface TemporaryMachine {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly stateDirectory: string;
  readonly place: HostPlace;
  /** Writes a file below the root and gives its path. */
  file(path: string, text: string, mode?: number): Promise<string>;
  /** Every file below the root but those of the state directory, with `/` for a directory. */
  tree(): Promise<readonly string[]>;
}

export async function temporaryMachine(): Promise<TemporaryMachine> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hosts-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [home, project, stateDirectory] = [join(root, 'home'), join(root, 'app'), join(root, 'state')] as const;
  await Promise.all([home, project].map((directory) => mkdir(directory)));
  return {
    ...{ root, home, project, stateDirectory },
    place: { ...currentPlace(), env: {}, home, project },
    async file(path, text, mode = 0o600) {
      const full = join(root, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, text, { mode });
      return full;
    },
    async tree() {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1) + (entry.isDirectory() ? '/' : ''))
        .filter((path) => !path.startsWith('state'))
        .toSorted();
    },
  };
}

export async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8');
}
