import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { isRecord } from '@x/internal/json';
import { CommandError, exitCodes, UsageError } from '../command.js';
import { codeOf, replaceFile } from '../files.js';
import type { LaunchToConfirm } from './launches.js';

interface Consent {
  readonly directory: string;
  readonly server: string;
  readonly file: string;
  readonly lines: readonly string[];
  /** ISO 8601. */
  readonly agreedAt: string;
}

/**
 * Stores consents, one file each, so that concurrent commands do not overwrite each other. The file name is a digest of
 * directory and launch. Its existence is the consent; its content is for `mcpx trust list`.
 */
export class ConsentStore {
  readonly #directory: string | undefined;

  /** @param stateDirectory - `undefined`: nothing is stored, and no launch has consent. */
  constructor(stateDirectory: string | undefined) {
    this.#directory = stateDirectory === undefined ? undefined : join(stateDirectory, 'consent');
  }

  has(launch: LaunchToConfirm): boolean {
    return this.#directory !== undefined && existsSync(fileOf(launch, this.#directory));
  }

  /** @throws {CommandError} The file cannot be written. */
  async add(launches: readonly LaunchToConfirm[]): Promise<void> {
    if (launches.length === 0) return;
    const directory = this.#directory;
    if (directory === undefined) {
      throw new UsageError('There is no directory to store your consent in.', {
        hint: 'Set HOME, or set MCPX_TRUST=1 for this command.',
      });
    }
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (const launch of launches) await write(launch, directory);
    } catch (cause) {
      const reason = codeOf(cause) ?? String(cause);
      throw new CommandError(exitCodes.failed, `Your consent cannot be stored in ${directory}: ${reason}.`, {
        hint: 'Make its directory writable.',
        cause,
      });
    }
  }

  /** All consents by directory and server. Skips files with other content. */
  async list(): Promise<readonly Consent[]> {
    const all = await Promise.all((await this.#files()).map(readConsent));
    return all
      .filter((consent) => consent !== undefined)
      .sort((a, b) => compare(a.directory, b.directory) || compare(a.server, b.server));
  }

  /** Deletes the consents of one directory. @returns The deleted ones. */
  async remove(directory: string): Promise<readonly Consent[]> {
    const removed: Consent[] = [];
    for (const file of await this.#files()) {
      const consent = await readConsent(file);
      if (consent?.directory !== directory) continue;
      await rm(file, { force: true });
      removed.push(consent);
    }
    return removed;
  }

  async #files(): Promise<readonly string[]> {
    const directory = this.#directory;
    if (directory === undefined) return [];
    const names = await readdir(directory).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name)).map((name) => join(directory, name));
  }
}

export function consentKey({ directory, digest }: Pick<LaunchToConfirm, 'directory' | 'digest'>): string {
  return hexDigest(JSON.stringify([directory, digest]));
}

function fileOf(launch: LaunchToConfirm, folder: string): string {
  return join(folder, `${consentKey(launch)}.json`);
}

async function write(launch: LaunchToConfirm, folder: string): Promise<void> {
  const { directory, server, file, lines } = launch;
  const consent: Consent = { directory, server, file, lines, agreedAt: new Date().toISOString() };
  await replaceFile(fileOf(launch, folder), `${JSON.stringify(consent, null, 2)}\n`);
}

async function readConsent(file: string): Promise<Consent | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isConsent(value) ? value : undefined;
  } catch {
    return undefined; // removed meanwhile, or not a consent
  }
}

function isConsent(value: unknown): value is Consent {
  if (!isRecord(value) || !Array.isArray(value.lines)) return false;
  const texts = [value.directory, value.server, value.file, value.agreedAt, ...value.lines];
  return texts.every((text) => typeof text === 'string');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
