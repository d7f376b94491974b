import { resolve } from 'node:path';
import type { Transform, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { combineRedactors, type Redactor } from '@x/internal/secrets';
import { isConfigError } from '@x/mcp-config-schema';
import { type LoadedConfig, loadConfig } from '@x/mcp-config-schema/load';
import { type CommonOptions, type ExitCode, type Io, UsageError } from '../command.js';
import { configSource } from '../config/config-source.js';
import { printNote } from '../output/fit.js';
import { Recorder } from '../recording/recorder.js';
import { argumentRedactor, environmentRedactor } from '../recording/redact-message.js';
import { runProgram } from '../recording/run-program.js';
import { isTarget, requireFittingOptions, type UnlistedServer } from '../unlisted/target.js';
import { serve } from './serve.js';

interface RecordOptions extends CommonOptions, Pick<UnlistedServer, 'header'> {
  readonly file: string;
  /** The name of a server of the config, a URL, a command line, or a program with its arguments. */
  readonly words: readonly string[];
}

/** A server over stdio, whose messages go to a file, too. */
export async function record(options: RecordOptions, io: Io): Promise<ExitCode> {
  const { file } = options;
  const { run, redactor } = await recorded(options, io);
  const path = resolve(io.cwd, file);
  const onFull = (reason: string): void =>
    void printNote(`warning: ${reason}, so the rest is not recorded. The connection goes on.`, io);
  using recorder = new Recorder(path, { redactor, onFull });
  const fromClient = recorder.tap('client');
  const fromServer = recorder.tap('server');
  // A stream of the process is a full stream.
  fromServer.pipe(io.stdout as unknown as Writable, { end: false });
  try {
    return await run({ fromClient, fromServer });
  } finally {
    fromServer.end();
    // The last messages are in the file before it is closed. A client that is gone reads no more.
    await finished(fromServer, { readable: false, signal: io.signal }).catch(() => undefined);
  }
}

interface Taps {
  readonly fromClient: Transform;
  readonly fromServer: Transform;
}

interface Recorded {
  readonly redactor: Redactor;
  readonly run: (taps: Taps) => Promise<ExitCode>;
}

/** The server that the words name. Starts nothing. */
async function recorded({ file: _, words, header, ...options }: RecordOptions, io: Io): Promise<Recorded> {
  const [word = '', ...others] = words;
  const known = combineRedactors([environmentRedactor(io.env), argumentRedactor([...words, ...(header ?? [])])]);
  if (others.length === 0 && isTarget(word)) return recordedUnlisted({ ...options, target: word, header }, known, io);
  if (header !== undefined) throw new UsageError('--header is for a server at a URL.');
  const config = others.length === 0 ? await findConfig(options, io) : undefined;
  const redactor = config === undefined ? known : combineRedactors([known, config.redactor]);
  if (!config?.servers.some(({ name }) => name === word)) return { redactor, run: program(words, io) };
  return { redactor, run: served((each) => serve({ ...options, servers: [word], names: 'as-is' }, each), io) };
}

/** A URL or a command line, as `mcpx call` takes them. */
async function recordedUnlisted(
  { config: files, ...options }: CommonOptions & UnlistedServer,
  known: Redactor,
  io: Io,
): Promise<Recorded> {
  requireFittingOptions(true, { config: files });
  const { unlistedConfig } = await import('../unlisted/open-unlisted.js');
  const { config } = unlistedConfig(options, io);
  const redactor = combineRedactors([known, config.redactor]);
  const [server] = config.servers;
  if (server?.transport === 'stdio') return { redactor, run: program([server.command, ...server.args], io) };
  const { serveUnlisted } = await import('../unlisted/serve-unlisted.js');
  return { redactor, run: served((each) => serveUnlisted({ ...options, config }, each), io) };
}

function program(words: readonly string[], io: Io): Recorded['run'] {
  return ({ fromClient, fromServer }) =>
    runProgram(
      words,
      ({ stdin, stdout }) => {
        io.stdin.pipe(fromClient).pipe(stdin);
        stdout.pipe(fromServer);
      },
      io,
    );
}

function served(serving: (io: Io) => Promise<ExitCode>, io: Io): Recorded['run'] {
  return ({ fromClient, fromServer }) => serving({ ...io, stdin: io.stdin.pipe(fromClient), stdout: fromServer });
}

/** `undefined` if there is none: the word is a program then. */
function findConfig({ config: files }: CommonOptions, io: Io): Promise<LoadedConfig | undefined> {
  return loadConfig(configSource(files, io)).catch((error: unknown) => {
    if (files !== undefined || !isConfigError(error) || error.code !== 'config-not-found') throw error;
    return undefined;
  });
}
