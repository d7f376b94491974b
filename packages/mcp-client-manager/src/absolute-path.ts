import { isAbsolute } from 'node:path';

/** Check of an option that names a file or a directory. */
export const absolutePath = {
  kind: 'other',
  check: (path: unknown) =>
    typeof path === 'string' && isAbsolute(path) ? undefined : `an absolute path, got ${JSON.stringify(path)}`,
} as const;
