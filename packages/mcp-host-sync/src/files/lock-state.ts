import { mkdir } from 'node:fs/promises';
import { writeFailure } from './file-failure.js';
import { type LockOptions, lockFile } from './file-lock.js';
import { ownershipPath } from './ownership-file.js';
import { resolveTarget } from './resolve-target.js';

/** One sync at a time per user keeps the record consistent with the files. */
export async function lockState(stateDirectory: string, { timeoutMs, signal }: LockOptions): Promise<AsyncDisposable> {
  try {
    await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
    const { path } = await resolveTarget(ownershipPath(stateDirectory), { forWriting: false });
    return await lockFile(path, { timeoutMs, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw writeFailure(error, ownershipPath(stateDirectory));
  }
}
