import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { CommandError, exitCodes, type Io } from '../command.js';
import { printableLine } from '../output/print.js';
import type { TransportWord } from '../writing-config/written-entry.js';
import type { Bundle } from './bundle.js';
import { readFromRegistry, registryName } from './mcp-registry.js';
import type { OfferedServer } from './offered-server.js';
import { readServerJson } from './server-json.js';

interface OfferOptions {
  /** Base URL of the MCP Registry. */
  readonly registry?: string | undefined;
  readonly transport?: TransportWord | undefined;
}

/**
 * The server that a word names: an `.mcpb` file, a `server.json`, or a name of the MCP Registry.
 *
 * @returns `undefined` for another word, such as a program.
 * @throws {CommandError} The file or the registry's answer cannot be used.
 */
export async function findOffer(
  word: string,
  { registry, transport }: OfferOptions,
  io: Io,
): Promise<OfferedServer | Bundle | undefined> {
  const path = resolve(io.cwd, word);
  if (/\.(?:mcpb|dxt)$/i.test(word)) {
    await requireFile(path);
    if (io.stateDirectory === undefined) {
      throw new CommandError(exitCodes.failed, 'There is no directory to unpack the bundle in.', {
        hint: 'Set HOME to a directory of yours.',
      });
    }
    return (await import('./bundle.js')).readBundle(path, io.stateDirectory);
  }
  if (/\.json$/i.test(word)) return readServerJson(await readJsonFile(path), { origin: path, transport });
  if (!registryName.test(word) || existsSync(path)) return undefined;
  return readServerJson(await readFromRegistry(word, { registry }, io), { origin: word, transport });
}

const maxBytes = 5_000_000;

async function readJsonFile(path: string): Promise<unknown> {
  await requireFile(path);
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(exitCodes.failed, `${path} is not JSON: ${printableLine(messageOf(error), 200)}.`, {
      cause: error,
    });
  }
}

async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() && (!/\.json$/i.test(path) || found.size <= maxBytes)) return;
  const why = found?.isFile() ? `has more than ${maxBytes} bytes` : found ? 'is not a file' : 'does not exist';
  throw new CommandError(exitCodes.failed, `${path} ${why}.`);
}
