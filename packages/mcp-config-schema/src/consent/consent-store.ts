import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, hexDigest, replaceFile } from '@x/internal/files';
import { isRecord } from '@x/internal/json';
import { ConfigError } from '../errors.js';
import type { LaunchToConfirm } from './launches.js';

/** A stored consent. */
export interface Consent {
  /** Project directory. */
  readonly directory: string;
  readonly server: string;
  /** Config file with the entry. */
  readonly file: string;
  /** The entry as it was shown. */
  readonly lines: readonly string[];
  /** ISO 8601. */
  readonly agreedAt: string;
}

/** The user's consents. */
export interface ConsentStore {
  /** True for a launch with consent. */
  has(launch: LaunchToConfirm): boolean;
  /** @throws {ConfigError} `consent-not-stored` */
  add(launches: readonly LaunchToConfirm[]): Promise<void>;
  /** All consents by directory and server. */
  list(): Promise<readonly Consent[]>;
  /**
   * Withdraws the consents of one directory.
   *
   * @returns The withdrawn ones.
   */
  remove(directory: string): Promise<readonly Consent[]>;
}

/**
 * The store that `mcpx` uses, too.
 *
 * @param stateDirectory - See `userStateDirectory`. `undefined`: nothing can be stored, and no launch has consent.
 */
export function createConsentStore(stateDirectory: string | undefined): ConsentStore {
  return new ConsentFiles(stateDirectory === undefined ? undefined : join(stateDirectory, 'consent'));
}

/**
 * One file for each consent, so that concurrent programs do not overwrite each other. The file name is a digest of
 * directory and launch. Its existence is the consent; its content is for display.
 */
class ConsentFiles implements ConsentStore {
  readonly #directory: string | undefined;

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  has(launch: LaunchToConfirm): boolean {
    return this.#directory !== undefined && existsSync(fileOf(launch, this.#directory));
  }

  async add(launches: readonly LaunchToConfirm[]): Promise<void> {
    if (launches.length === 0) return;
    const directory = this.#directory;
    if (directory === undefined) {
      const message = 'There is no directory to store your consent in. Set HOME.';
      throw new ConfigError('consent-not-stored', message);
    }
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (const launch of launches) await write(launch, directory);
    } catch (cause) {
      const reason = codeOf(cause) ?? String(cause);
      const message = `Your consent cannot be stored in ${directory}: ${reason}. Make its directory writable.`;
      throw new ConfigError('consent-not-stored', message, { cause });
    }
  }

  /** Skips files with other content. */
  async list(): Promise<readonly Consent[]> {
    const all = await Promise.all((await this.#files()).map(readConsent));
    return all
      .filter((consent) => consent !== undefined)
      .sort((a, b) => compare(a.directory, b.directory) || compare(a.server, b.server));
  }

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
