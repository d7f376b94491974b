import { messageOf } from '@x/internal/errors';
import { ManagerError } from '../../errors.js';
import { maxHealthMisses } from '../state/backoff.js';

export function missedChecks(server: string, cause: unknown): ManagerError {
  const message = `Server "${server}" failed ${maxHealthMisses} health checks in a row: ${messageOf(cause)}`;
  return new ManagerError('server-unresponsive', message, { server, cause });
}

export function frozen(server: string, silentMs: number, cause: unknown): ManagerError {
  const seconds = Math.round(silentMs / 1_000);
  const message = `Server "${server}" answered neither its calls nor a health check for ${seconds} s`;
  return new ManagerError('server-unresponsive', message, { server, cause });
}

export function memoryExceeded(server: string, memoryBytes: number, limitBytes: number): ManagerError {
  const message = `Server "${server}" took ${mebibytes(memoryBytes)} of memory; its spec allows ${mebibytes(limitBytes)}`;
  return new ManagerError('memory-exceeded', message, { server });
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`;
}
