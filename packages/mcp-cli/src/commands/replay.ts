import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '@x/internal/errors';
import { codeOf } from '@x/internal/files';
import { isRecord, parseJson } from '@x/internal/json';
import { parseRecording, type Recording, Replay } from '@x/internal/recording';
import { type CommonOptions, type ExitCode, exitCodes, type Io, UsageError } from '../command.js';

/** The server of a recording, over stdio, until its client ends. */
export async function replay({ file }: CommonOptions & { readonly file: string }, io: Io): Promise<ExitCode> {
  const { stdin, stdout, signal } = io;
  const server = new Replay(await readRecording(resolve(io.cwd, file)));
  const client = { send: (message: object) => void stdout.write(`${JSON.stringify(message)}\n`) };
  const lines = createInterface({ input: stdin });
  lines.on('line', (line) => {
    const message = parseJson(line);
    if (isRecord(message)) server.receive(message, client);
  });
  const stop = (): void => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  else await once(lines, 'close');
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok;
}

/** @throws {UsageError} It cannot be read, or is no recording. */
async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`The file ${path} cannot be read: ${codeOf(cause) ?? 'unknown'}.`, { hint, cause });
  });
  try {
    return parseRecording(text);
  } catch (cause) {
    throw new UsageError(`The file ${path} is no recording: ${messageOf(cause)}.`, { hint, cause });
  }
}

const hint = 'Record one: mcpx record <file> -- <server or command>';
