import { join } from 'node:path';
import envPaths from 'env-paths';

/** Where the record of what was written, and backups, are kept for this user. */
export function defaultStateDirectory(): string {
  return envPaths('mcpx', { suffix: '' }).data;
}

export const backupsFolderName = 'backups';

export function ownershipPath(stateDirectory: string): string {
  return join(stateDirectory, 'host-sync.json');
}
