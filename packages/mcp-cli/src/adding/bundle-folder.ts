import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exists } from '@x/internal/files';
import { CommandError, exitCodes } from '../command.js';
import type { BundleChange, RecordedChange } from '../writing-config/change-journal.js';
import { bundlesIn, readBundle } from './bundle.js';

/**
 * What taking back `change` does with the folder of its bundle. A folder is removed only if its bundle can be unpacked
 * again and no other change refers to it.
 *
 * @param others - Changes that are still in effect after that.
 */
export async function reversedBundle(
  { bundle }: RecordedChange,
  others: readonly RecordedChange[],
  stateDirectory: string,
): Promise<BundleChange | undefined> {
  if (bundle === undefined) return undefined;
  if (bundle.did === 'remove') return { ...bundle, did: 'unpack' };
  const isUsed = others.some(({ files }) => files.some(({ after }) => after?.includes(bundle.folder)));
  if (isUsed || !(await canUnpack(bundle, stateDirectory))) return undefined;
  return { ...bundle, did: 'remove' };
}

async function canUnpack({ folder, file }: BundleChange, stateDirectory: string): Promise<boolean> {
  return readBundle(file, stateDirectory).then(
    (found) => found.folder === folder,
    () => false,
  );
}

/**
 * Unpacks the bundle unless its folder is there.
 *
 * @throws {CommandError} The file is gone, or is another bundle now.
 */
export async function unpackAgain({ folder, file }: BundleChange, stateDirectory: string): Promise<void> {
  if (await exists(pathOf(folder, stateDirectory))) return;
  const bundle = await readBundle(file, stateDirectory).catch(() => undefined);
  if (bundle?.folder === folder) await bundle.unpack();
  else
    throw new CommandError(exitCodes.failed, `${file} is no longer the bundle that was added. Nothing was written.`, {
      hint: 'Put the file back, or add another one with "mcpx add <file>.mcpb".',
    });
}

export async function removeBundle({ folder }: BundleChange, stateDirectory: string): Promise<void> {
  await rm(pathOf(folder, stateDirectory), { recursive: true, force: true });
}

/** @throws {CommandError} The journal, which anything may have edited, names no folder of the directory of all bundles. */
function pathOf(folder: string, stateDirectory: string): string {
  const all = bundlesIn(stateDirectory);
  const path = join(all, basename(folder));
  if (dirname(path) === all) return path;
  throw new CommandError(exitCodes.failed, `${folder} is no folder of a bundle. Nothing was changed.`, {
    hint: 'Remove the entry from the journal of changes.',
  });
}
