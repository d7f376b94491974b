import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { combineRedactors } from '@x/internal/secrets';
import { isConfigError } from '@x/mcp-config-schema';
import { type LoadedConfig, loadConfig } from '@x/mcp-config-schema/load';
import type { CommonOptions, ExitCode, Io } from '../command.js';
import { configSource } from '../config/config-source.js';
import { printNote } from '../output/fit.js';
import { Recorder } from '../recording/recorder.js';
import { argumentRedactor, environmentRedactor } from '../recording/redact-message.js';
import { runProgram } from '../recording/run-program.js';
import { serve } from './serve.js';

interface RecordOptions extends CommonOptions {
  readonly file: string;
  /** The name of a server of the config, or a program with its arguments. */
  readonly words: readonly string[];
}

/** A server over stdio, whose messages go to a file, too. */
export async function record({ file, words, ...options }: RecordOptions, io: Io): Promise<ExitCode> {
  const [word = '', ...others] = words;
  const config = others.length === 0 ? await findConfig(options, io) : undefined;
  const isServer = config?.servers.some(({ name }) => name === word) ?? false;
  const redactor = combineRedactors([
    environmentRedactor(io.env),
    argumentRedactor(words),
    ...(config === undefined ? [] : [config.redactor]),
  ]);
  const path = resolve(io.cwd, file);
  const onFull = (reason: string): void =>
    void printNote(`warning: ${reason}, so the rest is not recorded. The connection goes on.`, io);
  using recorder = new Recorder(path, { redactor, onFull });
  const fromClient = recorder.tap('client');
  const fromServer = recorder.tap('server');
  // A stream of the process is a full stream.
  fromServer.pipe(io.stdout as unknown as Writable, { end: false });
  const serving = isServer
    ? serve(
        { ...options, servers: [word], names: 'as-is' },
        { ...io, stdin: io.stdin.pipe(fromClient), stdout: fromServer },
      )
    : runProgram(
        words,
        ({ stdin, stdout }) => {
          io.stdin.pipe(fromClient).pipe(stdin);
          stdout.pipe(fromServer);
        },
        io,
      );
  try {
    return await serving;
  } finally {
    fromServer.end();
    // The last messages are in the file before it is closed. A client that is gone reads no more.
    await finished(fromServer, { readable: false, signal: io.signal }).catch(() => undefined);
  }
}

/** `undefined` if there is none: the word is a program then. */
function findConfig({ config: files }: CommonOptions, io: Io): Promise<LoadedConfig | undefined> {
  return loadConfig(configSource(files, io)).catch((error: unknown) => {
    if (files !== undefined || !isConfigError(error) || error.code !== 'config-not-found') throw error;
    return undefined;
  });
}
