import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { optionTable } from '@x/internal/options';
import { RegistryError } from '../errors.js';
import type { AuditEvent } from './audit-event.js';
import { AuditFile } from './audit-file.js';
import { AuditQueue } from './audit-queue.js';

const RETRY_AFTER_MS = 1_000;

/** Which file the log is, and how large it may become. */
export interface AuditLogOptions {
  /**
   * The file, made with mode 0600 if it is not there, as its folder is with 0700. A symbolic link is refused. A relative path
   * is resolved once, against the directory that the process is in now.
   */
  readonly path: string;
  /** Size in bytes from which the file is put aside as `<path>.<time>-<pid>-<n>`. Default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many files that were put aside are kept. Default 5. */
  readonly maxFiles?: number | undefined;
  /**
   * Events that wait while the file cannot be written. Those that come when it is full are dropped, and a line
   * `{"action":"dropped","dropped":n}` stands in their place. Default 10 000.
   */
  readonly maxQueued?: number | undefined;
  /** Told once each time writing begins to fail; it is tried again every second. Default: nobody is told. */
  readonly onError?: ((error: RegistryError) => void) | undefined;
}

/** How far the file is. */
export interface AuditLogStatus {
  /** Lines that are not in the file yet. */
  readonly queued: number;
  /** Lines that are. */
  readonly written: number;
  /** Events that never will be. */
  readonly dropped: number;
  /** Why lines cannot be written right now. */
  readonly failure: RegistryError | undefined;
}

/** A file of JSON lines, one an event, in the order of the events. */
export interface AuditLog extends AsyncDisposable {
  readonly status: AuditLogStatus;
  /**
   * Takes an event and returns; what `createRegistry({ audit })` wants, as it stands.
   *
   * @throws {RegistryError} `closed`.
   */
  readonly record: (event: AuditEvent) => void;
  /**
   * Resolves when all that was recorded so far is in the file. The system may still hold it back from the disk.
   *
   * @throws {RegistryError} `audit-log-failed`; what waits goes on waiting.
   */
  flush(): Promise<void>;
  /**
   * Writes what waits and closes the file. To be awaited before the process ends; a second call joins the first.
   *
   * @throws {RegistryError} `audit-log-failed`, when what waited could not be written and is lost.
   */
  close(): Promise<void>;
}

/**
 * Opens nothing before the first event. Several processes may have one file.
 *
 * @throws {TypeError} naming the option that is wrong.
 */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { onError, maxQueued, ...place } = resolveAuditLog(options);
  const file = new AuditFile(place);
  const queue = new AuditQueue({
    maxQueued,
    retryAfterMs: RETRY_AFTER_MS,
    append: (bytes) => file.append(bytes),
    toFailure: (cause) => writeFailed(place.path, cause),
    onError,
  });
  let closing: Promise<void> | undefined;
  const shutDown = async () => {
    try {
      await queue.flush();
    } finally {
      queue.stop();
      await file.close();
    }
  };
  const close = () => {
    closing ??= shutDown();
    return closing;
  };
  return {
    get status() {
      return queue.status;
    },
    record(event) {
      if (closing !== undefined) throw new RegistryError('closed', `The audit log ${place.path} is closed`);
      queue.add(event);
    },
    flush: () => queue.flush(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const count = { kind: 'number', min: 1 } as const;
const auditLogOptions = optionTable<AuditLogOptions>()({
  path: { kind: 'text', required: true },
  maxBytes: { ...count, default: 10 * 1024 * 1024 },
  maxFiles: { ...count, default: 5 },
  maxQueued: { ...count, default: 10_000 },
  onError: { kind: 'function' },
});

function resolveAuditLog(options: AuditLogOptions) {
  const settings = auditLogOptions.read(options);
  return { ...settings, path: resolve(settings.path) };
}

function writeFailed(path: string, cause: unknown): RegistryError {
  const reason = messageOf(cause);
  const message = `The audit log ${path} cannot be written: ${reason}; events wait until it can be, as many as there is room for`;
  return new RegistryError('audit-log-failed', message, { cause });
}
