import { isAbsolute } from 'node:path';

export const absolutePath = {
  kind: 'other',
  check: (path: unknown) =>
    typeof path === 'string' && isAbsolute(path) ? undefined : `an absolute path, got ${JSON.stringify(path)}`,
} as const;
