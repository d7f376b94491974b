import { lstat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { replaceFile } from '@x/internal/files';
import { toTypeScript } from '@x/mcp-registry/typescript';
import { CommandError, type CommonOptions, type ExitCode, exitCodes, type Io } from '../command.js';
import type { Control } from '../control/control.js';
import { openControl } from '../open-control.js';
import { printNote } from '../output/fit.js';
import { counted, printableLine, printJson } from '../output/print.js';
import { readKnownTools } from '../servers/known-tools.js';
import { serversWithoutTools } from '../servers/server-rows.js';
import { requireAnyStarted, startServers } from '../servers/start-servers.js';
import { requireFittingOptions, requireTarget } from '../unlisted/target.js';

export interface TypesOptions extends CommonOptions {
  readonly role?: string;
  /** Default: stdout. */
  readonly output?: string;
  /** URL or command of a server that is in no config. Default: the servers of the config. */
  readonly target?: string | undefined;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
}

/** Writes declarations of the known tools, also of stopped servers. Starts only a server that is in no config. */
export async function types(options: TypesOptions, io: Io): Promise<ExitCode> {
  const { role, output, json, target } = options;
  requireFittingOptions(target !== undefined, { ...options });
  await using control =
    target === undefined ? await openControl(options, io) : await started({ ...options, target }, io);
  const { tools: known, unusable } = await readKnownTools(control, role, io);
  const tools = known.map(({ inputSchema = { type: 'object' }, ...tool }) => ({ ...tool, inputSchema }));
  // For a file or a pipe, and not for a model: without a limit.
  const text = toTypeScript({ list: () => tools }, { maxCharacters: Number.MAX_SAFE_INTEGER });
  const { servers } = await control.status({ signal: io.signal });
  const notIncluded = serversWithoutTools(servers).filter((name) => !unusable.includes(name));
  if (output !== undefined) await write(resolve(io.cwd, output), text);
  if (json) printJson({ types: text, tools: tools.length, notIncluded }, io);
  else if (output === undefined) io.stdout.write(text);
  else printNote(`${counted(tools.length, 'tool')} in ${printableLine(output, 500)}`, io);
  if (!json && notIncluded.length > 0) {
    const names = printableLine(notIncluded.join(', '), 300);
    printNote(`Not included, because their tools are unknown: ${names}. ${discoverHint(notIncluded)}`, io);
  }
  return exitCodes.ok;
}

async function started(options: TypesOptions & { readonly target: string }, io: Io): Promise<Control> {
  requireTarget(options.target);
  const { control } = await (await import('../unlisted/open-unlisted.js')).openUnlisted(options, io);
  try {
    requireAnyStarted(await startServers(control, undefined, options, io), options, io);
    return control;
  } catch (error) {
    await control[Symbol.asyncDispose]();
    throw error;
  }
}

function discoverHint([first = '']: readonly string[]): string {
  return `To list the tools of one, run "mcpx discover ${printableLine(first, 60)}".`;
}

/** @throws {CommandError} The file cannot be written. */
async function write(path: string, text: string): Promise<void> {
  try {
    const found = await lstat(path).catch(() => undefined);
    // A link in a cloned repository may lead anywhere.
    if (found?.isSymbolicLink()) throw new Error(`${path} is a symbolic link. Remove it, or name the file it leads to`);
    if (found === undefined || found.isFile()) {
      await replaceFile(path, text, { fsync: false, mode: found === undefined ? 0o666 : found.mode & 0o777 });
    } else await writeFile(path, text); // such as a pipe
  } catch (error) {
    throw new CommandError(exitCodes.failed, `The declarations cannot be written: ${messageOf(error)}`);
  }
}
