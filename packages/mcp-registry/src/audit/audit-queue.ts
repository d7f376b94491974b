import { callListener } from '@x/internal/events';
import { escapeForJson } from '@x/internal/text';
import type { RegistryError } from '../errors.js';
import type { AuditEvent } from './audit-event.js';

const MAX_BATCH_BYTES = 64 * 1024;
const NEWLINE = Buffer.from('\n');

interface AuditQueueOptions {
  readonly maxQueued: number;
  readonly retryAfterMs: number;
  /** Resolves with the number of bytes written, which may be fewer. */
  readonly append: (bytes: Buffer) => Promise<number>;
  readonly toFailure: (cause: unknown) => RegistryError;
  readonly onError: ((failure: RegistryError) => void) | undefined;
}

/** Keeps lines in order and whole, at most `maxQueued`. */
export class AuditQueue {
  readonly #options: AuditQueueOptions;
  #lines: Buffer[] = [];
  #recorded = 0;
  #written = 0;
  #dropped = 0;
  /** Dropped lines that no line reports yet. */
  #unreportedDrops = 0;
  #failure: RegistryError | undefined;
  #draining: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** The last write ended within a line. */
  #isTorn = false;

  constructor(options: AuditQueueOptions) {
    this.#options = options;
  }

  get status() {
    return {
      queued: this.#lines.length,
      written: this.#written,
      dropped: this.#dropped,
      failure: this.#failure,
    };
  }

  add(line: AuditLine): void {
    if (this.#lines.length >= this.#options.maxQueued) {
      this.#dropped++;
      this.#unreportedDrops++;
      return;
    }
    const bytes = Buffer.from(toAuditLine(line));
    this.#reportDrops();
    this.#push(bytes);
    if (this.#retry === undefined) void this.#drain();
  }

  /** Writes at once, regardless of earlier failures. Rejects with the failure. */
  async flush(): Promise<void> {
    const target = this.#recorded;
    while (this.#written < target && this.#lines.length > 0) {
      await this.#drain();
      if (this.#failure !== undefined) throw this.#failure;
    }
  }

  stop(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#dropped += this.#lines.length;
    this.#lines = [];
  }

  #reportDrops(): void {
    if (this.#unreportedDrops === 0) return;
    const dropped = this.#unreportedDrops;
    this.#unreportedDrops = 0;
    this.#push(Buffer.from(toAuditLine({ time: new Date().toISOString(), action: 'dropped', dropped })));
  }

  #push(bytes: Buffer): void {
    this.#recorded++;
    this.#lines.push(bytes);
  }

  #drain(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#draining ??= this.#write().finally(() => {
      this.#draining = undefined;
      // Added after the last look for lines, and before this.
      if (this.#lines.length > 0 && this.#retry === undefined) void this.#drain();
    });
    return this.#draining;
  }

  async #write(): Promise<void> {
    while (this.#lines.length > 0) {
      const batch = this.#lines.slice(0, countBatch(this.#lines));
      const bytes = Buffer.concat(this.#isTorn ? [NEWLINE, ...batch] : batch);
      try {
        this.#advance(await this.#options.append(bytes), batch);
        this.#failure = undefined;
      } catch (cause) {
        this.#fail(cause);
        return;
      }
      if (this.#lines.length === 0) this.#reportDrops();
    }
  }

  #advance(written: number, batch: readonly Buffer[]): void {
    if (written === 0) throw new Error('no bytes were written');
    let left = this.#isTorn ? written - NEWLINE.length : written;
    let whole = 0;
    for (const line of batch) {
      // A line that lacks only its newline is complete; the next write adds the newline.
      if (left < line.length - NEWLINE.length || left === 0) break;
      left -= line.length;
      whole++;
    }
    this.#isTorn = left !== 0;
    this.#written += whole;
    this.#lines.splice(0, whole);
  }

  #fail(cause: unknown): void {
    const isFirst = this.#failure === undefined;
    this.#failure = this.#options.toFailure(cause);
    this.#retry = setTimeout(() => void this.#drain(), this.#options.retryAfterMs);
    this.#retry.unref(); // a log must not keep the process alive
    const failure = this.#failure;
    if (isFirst) callListener('onError', () => this.#options.onError?.(failure));
  }
}

function countBatch(lines: readonly Buffer[]): number {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += line.length;
    if (count > 0 && bytes > MAX_BATCH_BYTES) break;
    count++;
  }
  return count;
}

/** Marks missing events in an audit log. */
export interface DroppedAuditLine {
  readonly time: string;
  readonly action: 'dropped';
  /** Number of events that found the queue full. */
  readonly dropped: number;
}

/** One line of the log. */
export type AuditLine = AuditEvent | DroppedAuditLine;

/** One line of JSON. Escapes characters that terminals or editors obey or hide. */
export function toAuditLine(line: AuditLine): string {
  return `${JSON.stringify(line).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, escapeForJson)}\n`;
}
