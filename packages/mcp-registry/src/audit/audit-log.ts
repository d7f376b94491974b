import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { optionTable } from '@x/internal/options';
import { RegistryError } from '../errors.js';
import type { AuditEvent } from './audit-event.js';
import { AuditFile } from './audit-file.js';
import { AuditQueue } from './audit-queue.js';

const RETRY_AFTER_MS = 1_000;

/** Options of the audit log. */
export interface AuditLogOptions {
  /**
   * The file, created with mode 0600 in a folder with 0700. Symbolic links are refused. A relative path is resolved
   * once.
   */
  readonly path: string;
  /** Size in bytes at which the file is rotated to `<path>.<time>-<pid>-<n>`. Default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** Number of kept rotated files. Default 5. */
  readonly maxFiles?: number | undefined;
  /**
   * Maximum number of queued events while the file cannot be written. Further ones are replaced by a line
   * `{"action":"dropped","dropped":n}`. Default 10 000.
   */
  readonly maxQueued?: number | undefined;
  /** Called once each time writing starts to fail; retried every second. Default: none. */
  readonly onError?: ((error: RegistryError) => void) | undefined;
}

/** State of the log. */
export interface AuditLogStatus {
  /** Lines not yet written. */
  readonly queued: number;
  readonly written: number;
  readonly dropped: number;
  /** Reason why lines cannot be written now. */
  readonly failure: RegistryError | undefined;
}

/** A file of JSON lines, one per event, in order. */
export interface AuditLog extends AsyncDisposable {
  readonly status: AuditLogStatus;
  /**
   * Queues an event; accepted by `createRegistry({ audit })`.
   *
   * @throws {RegistryError} `closed`.
   */
  readonly record: (event: AuditEvent) => void;
  /**
   * Resolves when all events so far are written to the file, though perhaps not flushed to disk.
   *
   * @throws {RegistryError} `audit-log-failed`; the events stay queued.
   */
  flush(): Promise<void>;
  /**
   * Writes queued events and closes the file. A second call joins the first.
   *
   * @throws {RegistryError} `audit-log-failed` when queued events are lost.
   */
  close(): Promise<void>;
}

/**
 * Creates an audit log. Opens the file with the first event; several processes may share it.
 *
 * @throws {TypeError} naming the invalid option.
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
  const message = `The audit log ${path} cannot be written: ${reason}. Events are queued, at most maxQueued, until it can be`;
  return new RegistryError('audit-log-failed', message, { cause });
}
