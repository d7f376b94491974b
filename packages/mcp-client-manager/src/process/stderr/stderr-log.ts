import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hexDigest } from '@x/internal/files';

const maxFileBytes = 5 * 1_024 * 1_024;
const maxFiles = 3;
/** Characters that wait for the disk. Further lines are dropped: a slow disk must not slow a server. */
const maxWaitingLength = 256 * 1_024;

interface StderrLogOptions {
  readonly directory: string;
  readonly server: string;
  readonly onProblem: (message: string) => void;
}

/**
 * Stderr of one server on disk, at most 15 MB in three private files. Opens the file per batch: it may be moved or
 * shared with another process.
 */
export class StderrLog {
  readonly #options: StderrLogOptions;
  readonly #path: string;
  #waiting: string[] = [];
  #waitingLength = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #isBroken = false;

  constructor(options: StderrLogOptions) {
    this.#options = options;
    this.#path = join(options.directory, logFileName(options.server));
  }

  write(line: string): void {
    if (this.#waitingLength > maxWaitingLength) {
      this.#dropped += 1;
      return;
    }
    const entry = `${new Date().toISOString()} ${escaped(line)}\n`;
    this.#waiting.push(entry);
    this.#waitingLength += entry.length;
    this.#writing ??= this.#writeAll();
  }

  /** Never rejects. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await undefined;
      const text = this.#dequeueAll();
      try {
        await this.#append(text);
        this.#isBroken = false;
      } catch (error) {
        this.#report(error);
      }
    }
    this.#writing = undefined;
  }

  #dequeueAll(): string {
    const dropped = this.#dropped;
    if (dropped > 0)
      this.#waiting.push(`${new Date().toISOString()} [${dropped} lines dropped: the disk was too slow]\n`);
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#dropped = 0;
    return text;
  }

  async #append(text: string): Promise<void> {
    const file = await this.#open();
    let size: number;
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new Error('it is not a regular file');
      if ((stat.mode & 0o077) !== 0 && process.platform !== 'win32') await file.chmod(0o600);
      await file.appendFile(text);
      size = stat.size + Buffer.byteLength(text);
    } finally {
      await file.close();
    }
    if (size >= maxFileBytes) await this.#rotate();
  }

  async #open(): Promise<FileHandle> {
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    // A link could lead out of the directory; a named pipe would wait for a reader.
    const flags = O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
    try {
      return await open(this.#path, flags, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
      return open(this.#path, flags, 0o600);
    }
  }

  async #rotate(): Promise<void> {
    for (let number = maxFiles - 1; number > 0; number -= 1) {
      const from = number === 1 ? this.#path : `${this.#path}.${number - 1}`;
      await rename(from, `${this.#path}.${number}`).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }

  #report(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    const { server, onProblem } = this.#options;
    onProblem(
      `The log of server "${server}" cannot be written to ${this.#path}: ${String(error)}. Make its directory writable, or set another one.`,
    );
  }
}

/** Escapes control characters: logs are read in terminals. */
function escaped(line: string): string {
  return line.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === '\t') return character;
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code}`;
  });
}

const maxNameLength = 64;
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * File name of a server's log. Short lower-case names remain. Others are reduced to portable characters and get a
 * digest.
 */
export function logFileName(server: string): string {
  const isPlain = /^[a-z0-9][a-z0-9_-]*$/.test(server) && server.length <= maxNameLength && !deviceName.test(server);
  if (isPlain) return `${server}.log`;
  const readable = server
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxNameLength);
  return `${readable}~${hexDigest(server, 12)}.log`;
}
