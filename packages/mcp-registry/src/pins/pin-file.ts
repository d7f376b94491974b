import { mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { sequence } from '@x/internal/async';
import { holdFile, replaceFile } from '@x/internal/files';
import { isRecord } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import { RegistryError } from '../errors.js';
import { applyPinChanges } from './apply-pin-changes.js';
import { checkPins, PinDataError } from './check-pins.js';
import type { PinChange, PinStore, Pins } from './pin-store.js';

/** In milliseconds; longer than a dead process keeps its lock. */
const LOCK_WAIT_MS = 15_000;
const VERSION = 1;

/** Options of the pin file. */
export interface PinFileOptions {
  /** The file; its directory is created with the first save. A relative path is resolved once. */
  readonly path: string;
}

const pinFileOptions = optionTable<PinFileOptions>()({ path: { kind: 'text', required: true } });

/**
 * Keeps pins in a JSON file with mode 0600; a created directory has 0700. Several processes may share it: changes are
 * locked, and the file is replaced atomically. A file without pins is left unchanged, and every request fails.
 *
 * @throws {TypeError} naming the invalid option.
 */
export function createPinFile(options: PinFileOptions): PinStore {
  return new PinFile(resolve(pinFileOptions.read(options).path));
}

class PinFile implements PinStore {
  readonly #path: string;
  /** Orders changes within the process; the lock is for other processes. */
  readonly #inSequence = sequence();

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<Pins> {
    try {
      return parsePins(await readFile(this.#path, 'utf8'), this.#path);
    } catch (error) {
      if (isSystemError(error) && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  save(changes: readonly PinChange[]): Promise<Pins> {
    return this.#inSequence(() => this.#changeUnderLock(changes));
  }

  async #changeUnderLock(changes: readonly PinChange[]): Promise<Pins> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const lock = await holdFile(`${this.#path}.lock`, { waitMs: LOCK_WAIT_MS });
    if (lock === undefined) throw lockTimeout(`${this.#path}.lock`);
    try {
      const before = await this.load();
      const pins = applyPinChanges(before, changes);
      if (pins === before) return pins;
      const text = toText(pins);
      if (!(await lock.isHeld())) throw lockLost(this.#path);
      await replaceFile(this.#path, text);
      return pins;
    } finally {
      await lock.release();
    }
  }
}

function lockTimeout(path: string): RegistryError {
  return new RegistryError(
    'pin-store-failed',
    `${path} was locked by another process for ${LOCK_WAIT_MS} milliseconds. Try again; if no other process uses the ` +
      'pins, remove that file',
  );
}

/** A late write would restore outdated pins. */
function lockLost(path: string): RegistryError {
  const message = `${path} was not written: this process was suspended until its lock expired. Try again`;
  return new RegistryError('pin-store-failed', message);
}

/** One line per tool, because indented schemas are many times as large. */
function toText(servers: Pins): string {
  const texts = servers.map(({ server, tools }) => {
    const lines = tools.map((pin) => `\n  ${JSON.stringify(pin)}`);
    return `\n { "server": ${JSON.stringify(server)}, "tools": [${lines.join(',')}] }`;
  });
  return `{ "version": ${VERSION}, "servers": [${texts.join(',')}] }\n`;
}

function parsePins(text: string, path: string): Pins {
  try {
    const value = parseJson(text);
    if (!isRecord(value) || !('version' in value)) throw new PinDataError('it has no version');
    if (value.version !== VERSION) throw new PinDataError(`its version is not ${VERSION}`);
    return checkPins(value.servers);
  } catch (cause) {
    if (!(cause instanceof PinDataError)) throw cause;
    throw new RegistryError(
      'pin-store-failed',
      `${path} is not a pin file: ${cause.message}. Nothing in it counts as approved. ` +
        'Restore an earlier copy, or move it away to start without approvals',
      { cause },
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PinDataError('it is not JSON', { cause });
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error;
}
