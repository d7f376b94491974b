import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRecord } from '@x/internal/json';
import type { PinChange, PinStore, Pins, TrustMode } from '@x/mcp-registry';
import { CommandError, exitCodes, UsageError } from '../command.js';
import { acquireLock } from '../daemon/instance-lock.js';
import { ownIdentity } from '../daemon/system-process.js';
import { codeOf, replaceFile } from '../files.js';

/** Modes of trust: the default, and those of single servers. */
export interface Trust {
  readonly default: TrustMode;
  readonly servers: Readonly<Record<string, TrustMode>>;
}

/** Files with approvals and modes. The same for every config. */
export interface TrustPlace {
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

interface KeptMode {
  readonly server: string;
  readonly entry: string;
  readonly mode: TrustMode;
}

interface KeptTrust {
  readonly default: TrustMode;
  readonly modes: readonly KeptMode[];
}

/** Longest wait for the lock, in milliseconds. */
const lockWaitMs = 10_000;
const lockPollMs = 20;

/** Weakest first. */
export const trustModes = ['all', 'pin-on-first-use', 'approve'] as const satisfies readonly TrustMode[];
const trustsAll: KeptTrust = { default: 'all', modes: [] };

/** In the user's state directory, never in the project: the author of a config must not decide that it is trusted. */
export function trustPlace(stateDirectory: string | undefined): TrustPlace | undefined {
  if (stateDirectory === undefined) return undefined;
  const directory = join(stateDirectory, 'trust');
  return { pinFile: join(directory, 'pins.json'), trustFile: join(directory, 'modes.json') };
}

/**
 * Modes for the servers of one config. An entry without a mode gets the strictest of the default and the modes of its
 * name: neither a project that reuses a user's name nor a changed entry weakens a mode.
 *
 * @throws {CommandError} The file cannot be read or is invalid.
 */
export async function readTrust(place: TrustPlace | undefined, entries: Entries): Promise<Trust> {
  return trustFor(await readKept(place), entries);
}

/** @throws {CommandError} There is no state directory, or it is not writable. @returns The resulting modes. */
export async function writeTrust(
  place: TrustPlace | undefined,
  { mode, servers }: TrustChange,
  entries: Entries,
): Promise<Trust> {
  if (!place)
    throw new UsageError('There is no directory to store modes of trust in.', {
      hint: 'Set HOME to a directory of yours.',
    });
  const directory = dirname(place.trustFile);
  await inDirectory(place, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  const release = await inDirectory(place, () => lock(directory));
  try {
    return await writeChange(place, { mode, servers }, entries);
  } finally {
    await release();
  }
}

async function writeChange(place: TrustPlace, { mode, servers }: TrustChange, entries: Entries): Promise<Trust> {
  const before = await readKept(place);
  const named = (servers ?? []).map((server): KeptMode => ({ server, entry: entries.get(server) ?? '', mode }));
  const others = before.modes.filter((kept) => !named.some((each) => isSame(each, kept)));
  const kept = servers ? { ...before, modes: [...others, ...named] } : { ...before, default: mode };
  await writeKept(place, kept);
  return trustFor(kept, entries);
}

function trustFor({ default: otherwise, modes }: KeptTrust, entries: Entries): Trust {
  const servers = Array.from(entries, ([server, entry]): readonly [string, TrustMode] => {
    const ofName = modes.filter((kept) => kept.server === server);
    const own = ofName.find((kept) => kept.entry === entry);
    return [server, own?.mode ?? strictest([otherwise, ...ofName.map(({ mode }) => mode)])];
  });
  const hasOwn = ([server, mode]: readonly [string, TrustMode]): boolean =>
    mode !== otherwise || modes.some((kept) => kept.server === server && kept.entry === entries.get(server));
  return { default: otherwise, servers: Object.fromEntries(servers.filter(hasOwn)) };
}

function strictest(modes: readonly TrustMode[]): TrustMode {
  return trustModes.findLast((mode) => modes.includes(mode)) ?? 'approve';
}

function isSame(one: KeptMode, other: KeptMode): boolean {
  return one.server === other.server && one.entry === other.entry;
}

async function readKept(place: TrustPlace | undefined): Promise<KeptTrust> {
  if (!place) return trustsAll;
  try {
    return parseKept(JSON.parse(await readFile(place.trustFile, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return trustsAll;
    const reason = codeOf(error) ?? 'it was not written by "mcpx pins mode"';
    throw new CommandError(exitCodes.config, `The modes of trust cannot be read from ${place.trustFile}: ${reason}.`, {
      hint: 'Remove the file and set the modes again with "mcpx pins mode". Until then nothing is trusted.',
      cause: error,
    });
  }
}

async function writeKept(place: TrustPlace, kept: KeptTrust): Promise<void> {
  await inDirectory(place, () => replaceFile(place.trustFile, `${JSON.stringify(kept, null, 2)}\n`));
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

async function inDirectory<Result>({ trustFile }: TrustPlace, work: () => Promise<Result>): Promise<Result> {
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

function parseKept(value: unknown): KeptTrust {
  const { default: otherwise, modes } = value as Partial<Record<keyof KeptTrust, unknown>>;
  const isKept = isTrustMode(otherwise) && Array.isArray(modes) && modes.every(isKeptMode);
  if (!isKept) throw new TypeError('not a trust file');
  return { default: otherwise, modes };
}

function isKeptMode(value: unknown): value is KeptMode {
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
    save: async (changes) => ofConfig(await store.save(changes.map((change) => moved(change, keyOf)))),
  };
}

function moved<Change extends PinChange>(change: Change, keyOf: (server: string) => string): Change {
  return { ...change, server: keyOf(change.server) };
}
