import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, replaceFile } from '@x/internal/files';
import { isRecord } from '@x/internal/json';
import type { PinChange, PinStore, Pins, TrustMode } from '@x/mcp-registry/trust';
import { CommandError, exitCodes, UsageError } from '../command.js';
import { acquireLock } from '../daemon/instance-lock.js';
import { ownIdentity } from '../daemon/system-process.js';

/** Modes of trust: the default, and those of single servers. */
export interface Trust {
  readonly default: TrustMode;
  readonly servers: Readonly<Record<string, TrustMode>>;
}

/** Files with approvals and modes. The same for every config. */
export interface TrustPaths {
  readonly pinFile: string;
  readonly trustFile: string;
}

/** The user's decision: for named servers of a config, or the default in every config. */
export interface TrustChange {
  readonly mode: TrustMode;
  readonly servers?: readonly string[] | undefined;
}

/** Digest of each server's entry, by name. */
export type Entries = ReadonlyMap<string, string>;

interface StoredMode {
  readonly server: string;
  readonly entry: string;
  readonly mode: TrustMode;
}

interface StoredTrust {
  readonly default: TrustMode;
  readonly modes: readonly StoredMode[];
}

const lockWaitMs = 10_000;
const lockPollMs = 20;

/** Weakest first. */
export const trustModes = ['all', 'pin-on-first-use', 'approve'] as const satisfies readonly TrustMode[];
const trustsAll: StoredTrust = { default: 'all', modes: [] };

/** In the user's state directory, never in the project: the author of a config must not decide that it is trusted. */
export function trustPaths(stateDirectory: string | undefined): TrustPaths | undefined {
  if (stateDirectory === undefined) return undefined;
  const directory = join(stateDirectory, 'trust');
  return { pinFile: join(directory, 'pins.json'), trustFile: join(directory, 'modes.json') };
}

/** Files with decisions about trust and with approvals. */
export function trustFiles(stateDirectory: string | undefined): readonly string[] {
  const paths = trustPaths(stateDirectory);
  return paths === undefined ? [] : [paths.trustFile, paths.pinFile];
}

/**
 * Modes for the servers of one config. An entry without a mode gets the strictest of the default and the modes of its
 * name: neither a project that reuses a user's name nor a changed entry weakens a mode.
 *
 * @throws {CommandError} The file cannot be read or is invalid.
 */
export async function readTrust(paths: TrustPaths | undefined, entries: Entries): Promise<Trust> {
  return trustFor(await readStored(paths), entries);
}

/** @throws {CommandError} There is no state directory, or it is not writable. @returns The resulting modes. */
export async function writeTrust(
  paths: TrustPaths | undefined,
  { mode, servers }: TrustChange,
  entries: Entries,
): Promise<Trust> {
  if (!paths)
    throw new UsageError('There is no directory to store modes of trust in.', {
      hint: 'Set HOME to a directory of yours.',
    });
  const directory = dirname(paths.trustFile);
  await inDirectory(paths, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  const release = await inDirectory(paths, () => lock(directory));
  try {
    return await writeChange(paths, { mode, servers }, entries);
  } finally {
    await release();
  }
}

async function writeChange(paths: TrustPaths, { mode, servers }: TrustChange, entries: Entries): Promise<Trust> {
  const before = await readStored(paths);
  const named = (servers ?? []).map((server): StoredMode => ({ server, entry: entries.get(server) ?? '', mode }));
  const others = before.modes.filter((stored) => !named.some((each) => isSame(each, stored)));
  const stored = servers ? { ...before, modes: [...others, ...named] } : { ...before, default: mode };
  await writeStored(paths, stored);
  return trustFor(stored, entries);
}

function trustFor({ default: otherwise, modes }: StoredTrust, entries: Entries): Trust {
  const servers = Array.from(entries, ([server, entry]): readonly [string, TrustMode] => {
    const ofName = modes.filter((stored) => stored.server === server);
    const own = ofName.find((stored) => stored.entry === entry);
    return [server, own?.mode ?? strictest([otherwise, ...ofName.map(({ mode }) => mode)])];
  });
  const hasOwn = ([server, mode]: readonly [string, TrustMode]): boolean =>
    mode !== otherwise || modes.some((stored) => stored.server === server && stored.entry === entries.get(server));
  return { default: otherwise, servers: Object.fromEntries(servers.filter(hasOwn)) };
}

function strictest(modes: readonly TrustMode[]): TrustMode {
  return trustModes.findLast((mode) => modes.includes(mode)) ?? 'approve';
}

function isSame(one: StoredMode, other: StoredMode): boolean {
  return one.server === other.server && one.entry === other.entry;
}

async function readStored(paths: TrustPaths | undefined): Promise<StoredTrust> {
  if (!paths) return trustsAll;
  try {
    return parseStored(JSON.parse(await readFile(paths.trustFile, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return trustsAll;
    const reason = codeOf(error) ?? 'it was not written by "mcpx pins mode"';
    throw new CommandError(exitCodes.config, `The modes of trust cannot be read from ${paths.trustFile}: ${reason}.`, {
      hint: 'Remove the file and set the modes again with "mcpx pins mode". Until then nothing is trusted.',
      cause: error,
    });
  }
}

async function writeStored(paths: TrustPaths, stored: StoredTrust): Promise<void> {
  await inDirectory(paths, () => replaceFile(paths.trustFile, `${JSON.stringify(stored, null, 2)}\n`));
}

/** @returns Releases the lock. */
async function lock(directory: string): Promise<() => Promise<void>> {
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    const outcome = await acquireLock(directory, ownIdentity());
    if (outcome.status === 'ours') return outcome.release;
    if (performance.now() > deadline) {
      throw new CommandError(exitCodes.failed, `Process ${outcome.by.pid} has locked ${directory}.`, {
        hint: 'Nothing has changed. If there is no such process, remove the files named lock.<number> there.',
      });
    }
    await pause(lockPollMs);
  }
}

async function inDirectory<Result>({ trustFile }: TrustPaths, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const reason = codeOf(cause) ?? String(cause);
    throw new CommandError(exitCodes.failed, `The modes of trust cannot be stored in ${trustFile}: ${reason}.`, {
      hint: 'Nothing has changed. Make its directory writable.',
      cause,
    });
  }
}

export function isTrustMode(value: unknown): value is TrustMode {
  return trustModes.some((mode) => mode === value);
}

function parseStored(value: unknown): StoredTrust {
  const { default: otherwise, modes } = value as Partial<Record<keyof StoredTrust, unknown>>;
  const isValid = isTrustMode(otherwise) && Array.isArray(modes) && modes.every(isStoredMode);
  if (!isValid) throw new TypeError('not a trust file');
  return { default: otherwise, modes };
}

function isStoredMode(value: unknown): value is StoredMode {
  return (
    isRecord(value) && typeof value.server === 'string' && typeof value.entry === 'string' && isTrustMode(value.mode)
  );
}

/**
 * Approvals for the servers of one config, in a store that all configs share. The key contains the entry of a server,
 * so that two entries of one name share nothing.
 *
 * @param entryOf - Digest of a server's entry; `undefined` for a server outside the config.
 */
export function entryPins(store: PinStore, entryOf: (server: string) => string | undefined): PinStore {
  const keyOf = (server: string): string => {
    const entry = entryOf(server);
    return entry === undefined ? `name:${server}` : `entry:${entry}:${server}`;
  };
  const ofConfig = (pins: Pins): Pins =>
    pins.flatMap(({ server: key, tools }) => {
      const server = /^(?:name|entry:[0-9a-f]+):([\s\S]*)$/.exec(key)?.[1];
      return server !== undefined && keyOf(server) === key ? [{ server, tools }] : [];
    });
  return {
    load: async () => ofConfig(await store.load()),
    save: async (changes) => ofConfig(await store.save(changes.map((change) => withKey(change, keyOf)))),
  };
}

function withKey<Change extends PinChange>(change: Change, keyOf: (server: string) => string): Change {
  return { ...change, server: keyOf(change.server) };
}
