import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { onTestFinished } from 'vitest';
import { currentPlace, type HostPlace } from '../../src/index.js';

/** A temporary home, project and state directory, removed after the test. */
export interface TemporaryMachine {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly stateDirectory: string;
  readonly place: HostPlace;
  /** Where a sync of this machine reads and writes. */
  readonly options: { readonly place: HostPlace; readonly stateDirectory: string };
  /** Writes a file below the root and returns its path. */
  file(path: string, text: string, mode?: number): Promise<string>;
  /** Every file below the root except for the state directory, with `/` after directories. */
  tree(): Promise<readonly string[]>;
}

export interface TemporaryMachineOptions {
  /** `everybody`: below a directory that every user may enter, even if `TMPDIR` is private. Default `me`. */
  readonly for?: 'me' | 'everybody';
}

export async function temporaryMachine(options: TemporaryMachineOptions = {}): Promise<TemporaryMachine> {
  const parent = options.for === 'everybody' ? await directoryForEverybody() : tmpdir();
  const root = await realpath(await mkdtemp(join(parent, 'hosts-')));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));
  const [home, project, stateDirectory] = [join(root, 'home'), join(root, 'app'), join(root, 'state')] as const;
  await Promise.all([home, project].map((directory) => mkdir(directory)));
  const place = { ...currentPlace(), env: {}, home, project };
  return {
    ...{ root, home, project, stateDirectory, place },
    options: { place, stateDirectory },
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
        .map((path) => (sep === '/' ? path : path.replaceAll(sep, '/')))
        .filter((path) => !path.startsWith('state'))
        .toSorted();
    },
  };
}

export async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8');
}

async function directoryForEverybody(): Promise<string> {
  for (const directory of [tmpdir(), '/tmp', '/var/tmp']) {
    const path = await realpath(directory).catch(() => undefined);
    if (path !== undefined && (await everybodyMayEnter(path))) return path;
  }
  throw new Error(
    `Neither ${tmpdir()} nor /tmp nor /var/tmp can be entered by every user. Set TMPDIR to one that can.`,
  );
}

async function everybodyMayEnter(directory: string): Promise<boolean> {
  const { mode } = await stat(directory);
  if ((mode & 0o001) === 0) return false;
  return dirname(directory) === directory || everybodyMayEnter(dirname(directory));
}
