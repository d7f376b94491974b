import { closeSync, ftruncateSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { codeOf } from '@x/internal/files';
import { isRecord, parseJson } from '@x/internal/json';
import { type RecordedMessage, type RecordingLine, recordingHeader } from '@x/internal/recording';
import type { Redactor } from '@x/internal/secrets';
import { UsageError } from '../command.js';
import { redactMessage } from './redact-message.js';

/** Bytes of a file, and of one message. */
const maxFileBytes = 64 * 1_024 * 1_024;
const maxMessageBytes = 16 * 1_024 * 1_024;

interface RecorderOptions {
  readonly redactor: Redactor;
  /** Called once: the rest of the traffic is not recorded. */
  readonly onFull: (reason: string) => void;
}

/** Writes the messages of one connection to a new file, which only its owner can read. */
export class Recorder implements Disposable {
  readonly #options: RecorderOptions;
  readonly #path: string;
  readonly #file: number;
  readonly #began = performance.now();
  #bytes = 0;
  #hasMessages = false;
  #isOver = false;

  /** @throws {UsageError} The file exists or cannot be written. */
  constructor(path: string, options: RecorderOptions) {
    this.#options = options;
    this.#path = path;
    this.#file = openNew(path);
    this.#write(recordingHeader);
  }

  /** Passes bytes on unchanged and records the messages in them, one on each line. */
  tap(from: 'client' | 'server'): Transform {
    let line: Buffer[] = [];
    let length = 0;
    const take = (part: Buffer): void => {
      length += part.length;
      if (length <= maxMessageBytes) line.push(part);
    };
    const end = (): void => {
      if (length > maxMessageBytes) this.#end(`a message has more than ${maxMessageBytes} bytes`);
      else this.#record(from, Buffer.concat(line).toString());
      line = [];
      length = 0;
    };
    return new Transform({
      transform: (chunk: Buffer, _encoding, callback: TransformCallback) => {
        let start = 0;
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
          take(chunk.subarray(start, at));
          end();
          start = at + 1;
        }
        take(chunk.subarray(start));
        callback(null, chunk);
      },
    });
  }

  /** Removes a file without messages, whose name can then be used again. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    closeSync(this.#file);
    if (!this.#hasMessages) rmSync(this.#path, { force: true });
  }

  /** Other lines than messages are left out: clients ignore them. */
  #record(from: 'client' | 'server', text: string): void {
    if (this.#isOver) return;
    const message = parseJson(text);
    if (!isRecord(message) || message.jsonrpc !== '2.0') return;
    this.#hasMessages = true;
    try {
      const redacted = redactMessage(message, this.#options.redactor) as RecordedMessage;
      this.#write({ at: this.#now(), from, message: redacted });
    } catch (error) {
      // A message must reach its receiver, also if the recorder fails.
      const reason = error instanceof RangeError ? 'is nested too deeply' : 'cannot be made free of secrets';
      this.#end(`a message ${reason}`);
    }
  }

  #write(line: RecordingLine | typeof recordingHeader): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    if (this.#bytes + bytes.length > maxFileBytes) {
      this.#end(`the file would have more than ${maxFileBytes} bytes`);
      return;
    }
    const failure = this.#append(bytes);
    if (failure === undefined) this.#bytes += bytes.length;
    else this.#end(`the file cannot be written: ${failure}`);
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const line: RecordingLine = { at: this.#now(), end: 'limit' };
    this.#append(Buffer.from(`${JSON.stringify(line)}\n`)); // a full disk has no room for it
    this.#options.onFull(reason);
  }

  /** Leaves no part of a line. Returns the code of a failure. */
  #append(bytes: Buffer): string | undefined {
    try {
      writeFileSync(this.#file, bytes);
      return undefined;
    } catch (error) {
      this.#removePart();
      return codeOf(error) ?? 'unknown';
    }
  }

  #removePart(): void {
    try {
      ftruncateSync(this.#file, this.#bytes);
    } catch {
      // A reader ignores a last line without an end.
    }
  }

  #now(): number {
    return Math.round(performance.now() - this.#began);
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'ax', 0o600);
  } catch (cause) {
    const code = codeOf(cause);
    const reason = code === 'EEXIST' ? 'exists already' : `cannot be written: ${code ?? 'unknown'}`;
    throw new UsageError(`The file ${path} ${reason}.`, { hint: 'Name a new file in a directory of yours.', cause });
  }
}
