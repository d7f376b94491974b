import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TrustMode } from '@x/mcp-registry';
import { codeOf } from './error-code.js';
import { CommandError, exitCodes, UsageError } from './exit-codes.js';
import { realPath } from './real-path.js';
import { shortDigest } from './short-digest.js';

/** When a tool is there: for all servers, and for those that are named. */
export interface Trust {
  readonly default: TrustMode;
  readonly servers: Readonly<Record<string, TrustMode>>;
}

/** Where a config's approvals are kept, and which servers need them. */
export interface TrustPlace {
  readonly pinFile: string;
  readonly trustFile: string;
}

export const trustModes = ['all', 'pin-on-first-use', 'approve'] as const satisfies readonly TrustMode[];
const trustsAll: Trust = { default: 'all', servers: {} };

/**
 * Beside the user's other state and never in the project: whoever wrote the config must not say that it is to be trusted.
 *
 * @param files - Of the config. The first one stands for it, however it was named or found.
 */
export function trustPlace(stateDirectory: string | undefined, files: readonly string[]): TrustPlace | undefined {
  const [first] = files;
  if (stateDirectory === undefined || first === undefined) return undefined;
  const directory = join(stateDirectory, 'trust', shortDigest(realPath(first)));
  return { pinFile: join(directory, 'pins.json'), trustFile: join(directory, 'modes.json') };
}

/**
 * What the user has decided on; every tool is trusted until then.
 *
 * @throws {CommandError} The file cannot be read or says nothing that we would have written.
 */
export async function readTrust(place: TrustPlace | undefined): Promise<Trust> {
  if (!place) return trustsAll;
  try {
    return parseTrust(JSON.parse(await readFile(place.trustFile, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return trustsAll;
    const reason = codeOf(error) ?? 'it is not what "mcpx pins mode" writes';
    throw new CommandError(
      exitCodes.config,
      `Which tools to trust cannot be read from ${place.trustFile}: ${reason}.`,
      {
        hint: 'Remove the file and decide again with "mcpx pins mode". Until then nothing is trusted.',
        cause: error,
      },
    );
  }
}

/** @throws {CommandError} There is no place to keep it, or it cannot be written there. */
export async function writeTrust(place: TrustPlace | undefined, trust: Trust): Promise<void> {
  if (!place) throw new UsageError('There is no directory in which this could be kept.', { hint: 'Set HOME.' });
  const draft = `${place.trustFile}.${randomUUID()}`;
  try {
    await mkdir(dirname(place.trustFile), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify(trust, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, place.trustFile);
  } catch (cause) {
    const reason = codeOf(cause) ?? String(cause);
    throw new CommandError(exitCodes.failed, `What to trust cannot be kept in ${place.trustFile}: ${reason}.`, {
      hint: 'Nothing has changed. Make its directory one that you can write to.',
      cause,
    });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined); // where it could not be made
  }
}

export function isTrustMode(value: unknown): value is TrustMode {
  return trustModes.some((mode) => mode === value);
}

function parseTrust(value: unknown): Trust {
  const { default: otherwise, servers } = value as Partial<Record<keyof Trust, unknown>>;
  const isTrust =
    isTrustMode(otherwise) &&
    typeof servers === 'object' &&
    servers !== null &&
    Object.values(servers).every((mode) => isTrustMode(mode));
  if (!isTrust) throw new TypeError('not a trust file');
  return { default: otherwise, servers: servers as Trust['servers'] };
}
