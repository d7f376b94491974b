import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { renameOver } from '@x/internal/files';
import { isRecord, parseJson } from '@x/internal/json';
import { isProcessIdentity, type ProcessIdentity } from './system-process.js';

/** A real state file has less than a thousand bytes. */
const maxBytes = 64 * 1_024;

/** State of a daemon, for commands. */
export interface DaemonState {
  readonly format: 1;
  /** For display. */
  readonly version: string;
  /** The daemon's `protocolNumber`. */
  readonly protocol: number;
  /** Holds the lock and supervises the worker. */
  readonly parent: ProcessIdentity;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly logFile: string;
  readonly phase: DaemonPhase;
}

export type DaemonPhase =
  /** The worker is starting. `worker` may be an earlier one. */
  | { readonly name: 'starting'; readonly worker?: ProcessIdentity | undefined }
  | {
      readonly name: 'ready';
      readonly worker: ProcessIdentity;
      readonly socket: string;
      /** Authenticates both sides; never sent. */
      readonly token: string;
    }
  /** The worker has crashed too often. */
  | { readonly name: 'parked'; readonly reason: string };

/** Replaces the file atomically; only the owner can read it. */
export async function writeState(path: string, state: DaemonState): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await renameOver(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * The last state of a daemon. `undefined` for a missing file, and for content that cannot be trusted. Synchronous inside,
 * like `requirePrivateDirectory`.
 *
 * @param userId - Required owner of the file; `undefined` where files have no owner.
 */
export async function readState(path: string, userId: number | undefined): Promise<DaemonState | undefined> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(file);
    const isOurs = userId === undefined || (stat.uid === userId && (stat.mode & 0o077) === 0);
    if (!isOurs || !stat.isFile() || stat.size > maxBytes) return undefined;
    return parseState(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Why `readState` rejects the file, if other users can access it. */
export async function stateFault(path: string, userId: number | undefined): Promise<string | undefined> {
  if (userId === undefined) return undefined;
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.uid !== userId) return `belongs to another user (${found.uid})`;
  const mode = found.mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return `can be read or changed by other users (mode ${mode.toString(8).padStart(3, '0')})`;
}

/** `undefined` for text that `writeState` does not write. */
export function parseState(text: string): DaemonState | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { format, version, protocol, parent, startedAt, logFile, phase } = value;
  const isState =
    format === 1 &&
    typeof version === 'string' &&
    Number.isSafeInteger(protocol) &&
    Number.isFinite(startedAt) &&
    typeof logFile === 'string' &&
    isProcessIdentity(parent) &&
    isPhase(phase);
  return isState ? (value as unknown as DaemonState) : undefined;
}

function isPhase(value: unknown): value is DaemonPhase {
  if (!isRecord(value)) return false;
  switch (value.name) {
    case 'starting':
      return value.worker === undefined || isProcessIdentity(value.worker);
    case 'ready':
      return (
        isProcessIdentity(value.worker) &&
        typeof value.socket === 'string' &&
        typeof value.token === 'string' &&
        /^[0-9a-f]{64}$/.test(value.token)
      );
    case 'parked':
      return typeof value.reason === 'string';
    default:
      return false;
  }
}
