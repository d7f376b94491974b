import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

interface AuditFileOptions {
  readonly path: string;
  readonly maxBytes: number;
  readonly maxFiles: number;
}

// Missing on Windows, where links are checked first.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | O_NOFOLLOW | O_NONBLOCK;

const STAMP = /^\d{8}T\d{9}Z-\d+-\d+$/;

/** An append-only file for several processes: writes are not interleaved, and rotated files have unique names. */
export class AuditFile {
  readonly #options: AuditFileOptions;
  #opened: { readonly handle: FileHandle; readonly dev: bigint; readonly ino: bigint } | undefined;
  #rotations = 0;

  constructor(options: AuditFileOptions) {
    this.#options = options;
  }

  async append(bytes: Buffer): Promise<number> {
    const { maxBytes, path } = this.#options;
    const found = await this.#inspect();
    if (found?.isFile && found.size > 0 && found.size + bytes.length > maxBytes) {
      await rename(path, `${path}.${this.#stamp()}`).catch(unlessMissing); // another process may have rotated it
      await this.close();
      await this.#removeOldest();
    }
    const { handle } = this.#opened ?? (await this.#open());
    return (await handle.write(bytes)).bytesWritten;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.handle.close();
  }

  async #inspect(): Promise<{ readonly size: number; readonly isFile: boolean } | undefined> {
    const found = await lstat(this.#options.path, { bigint: true }).catch(unlessMissing);
    if (found?.isSymbolicLink()) {
      await this.close();
      throw new Error('it is a symbolic link; give the path of the file itself');
    }
    if (found?.dev !== this.#opened?.dev || found?.ino !== this.#opened?.ino) await this.close();
    return found && { size: Number(found.size), isFile: found.isFile() };
  }

  async #open() {
    const { path } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, FLAGS, 0o600);
    try {
      const found = await handle.stat({ bigint: true });
      if (!found.isFile() && !found.isCharacterDevice()) throw new Error('it is neither a file nor a device');
      // Another program may have created the file readable for others.
      if (found.isFile() && (found.mode & 0o077n) !== 0n && process.platform !== 'win32') await handle.chmod(0o600);
      if (found.isFile() && !(await endsLine(handle, Number(found.size)))) await handle.write('\n');
      const { dev, ino } = found;
      this.#opened = { handle, dev, ino };
      return this.#opened;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  #stamp(): string {
    const time = new Date().toISOString().replace(/[-:.]/g, '');
    return `${time}-${process.pid}-${++this.#rotations}`;
  }

  async #removeOldest(): Promise<void> {
    const { path, maxFiles } = this.#options;
    const start = `${basename(path)}.`;
    const names = await readdir(dirname(path));
    const rotated = names.filter((name) => name.startsWith(start) && STAMP.test(name.slice(start.length))).sort();
    for (const name of rotated.slice(0, Math.max(0, rotated.length - maxFiles))) {
      await rm(join(dirname(path), name), { force: true });
    }
  }
}

/** False after a killed process or a full disk left half a line. */
async function endsLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() === '\n';
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}
