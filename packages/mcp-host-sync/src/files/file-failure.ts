import { HostFileError, type HostFileErrorCode, isHostFileError } from '../host-error.js';

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Converts a failed write to a `HostFileError`. Returns an existing `HostFileError` as it is. */
export function writeFailure(error: unknown, file: string): HostFileError {
  if (isHostFileError(error)) return error;
  const system = systemCode(error);
  const [code, what] = explained(system);
  const message = `${file} cannot be written: ${what} (${system ?? String(error)}). The file is unchanged`;
  return new HostFileError(code, message, { file, cause: error });
}

function explained(system: string | undefined): readonly [HostFileErrorCode, string] {
  switch (system) {
    case 'ENOSPC':
      return ['no-space', 'the disk is full'];
    case 'EDQUOT':
    case 'EFBIG':
      return ['no-space', 'a quota or size limit is reached'];
    case 'EROFS':
      return ['read-only', 'the file system is read-only'];
    case 'EACCES':
    case 'EPERM':
      return ['read-only', 'the directory is not writable'];
    default:
      return ['write-failed', 'the system refused'];
  }
}
