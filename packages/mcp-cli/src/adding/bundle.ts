import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { arch, homedir, platform } from 'node:os';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '@x/internal/errors';
import { relativeInside } from '@x/internal/files';
import { isRecord } from '@x/internal/json';
import type { Entry, ZipFile } from 'yauzl';
import { CommandError, exitCodes } from '../command.js';
import { printable } from '../output/print.js';
import type { ServerEntry } from '../writing-config/host-entry.js';
import {
  joined,
  type LookUp,
  type OfferedServer,
  type Piece,
  type ServerInput,
  shortName,
  variableName,
} from './offered-server.js';

type Json = Readonly<Record<string, unknown>>;

const bounds = { bundleBytes: 500_000_000, entries: 50_000, bytes: 1_000_000_000, manifestBytes: 1_000_000 };

/** An MCP bundle whose manifest was read. Nothing of it is on disk yet. */
export interface Bundle extends OfferedServer {
  /** Unpacks it. A bundle with the same content is unpacked once. */
  unpack(): Promise<void>;
}

/**
 * Reads the manifest of an `.mcpb` file. Its entry will run from a private folder in `stateDirectory`.
 *
 * @throws {CommandError} It is no bundle, is unsafe to unpack, or does not run on this platform.
 * @see https://github.com/anthropics/mcpb/blob/main/MANIFEST.md
 */
export async function readBundle(path: string, stateDirectory: string): Promise<Bundle> {
  const { size } = await stat(path);
  if (size > bounds.bundleBytes) throw unusable(path, `it has more than ${bounds.bundleBytes} bytes`);
  const manifest = await readManifest(path);
  const { name, server, compatibility } = manifest;
  if (typeof name !== 'string' || !isRecord(server)) throw unusable(path, 'its manifest has no "name" and "server"');
  const { platforms } = recordOf(compatibility);
  if (Array.isArray(platforms) && !platforms.includes(platform()))
    throw unusable(path, `it runs on ${platforms.join(', ')}, and this is ${platform()} ${arch()}`);
  const own = shortName(name);
  const folder = join(stateDirectory, 'bundles', `${own}-${await digestOf(path)}`);
  const config = launchOf(server);
  if (config === undefined) throw unusable(path, 'its manifest has no "server.mcp_config.command"');
  const settings = recordOf(manifest.user_config);
  return {
    name: own,
    origin: path,
    notes: [],
    inputs: Object.entries(settings).flatMap(([key, setting]) =>
      isRecord(setting) ? [inputOf(key, setting, own)] : [],
    ),
    entry: (lookUp) => entryOf(config, { folder, settings, lookUp }),
    unpack: () => unpackOnce(path, folder),
  };
}

function unusable(path: string, reason: string): CommandError {
  return new CommandError(exitCodes.failed, `${path} cannot be added: ${printable(reason)}. Nothing was written.`);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex').slice(0, 32);
}

/** Command, arguments and variables for this platform. */
function launchOf({ mcp_config }: Json): Json | undefined {
  const config = recordOf(mcp_config);
  const own = recordOf(recordOf(config.platform_overrides)[platform()]);
  const merged: Json = { ...config, ...own, env: { ...recordOf(config.env), ...recordOf(own.env) } };
  return typeof merged.command === 'string' ? merged : undefined;
}

function inputOf(key: string, setting: Json, server: string): ServerInput {
  const { title, description, required, sensitive } = setting;
  const text = typeof description === 'string' ? description : title;
  return {
    key,
    description: typeof text === 'string' ? text : undefined,
    isRequired: required === true,
    isSecret: sensitive === true,
    default: textsOf(setting.default).map(withPlaces)[0],
    variable: variableName(server, key),
  };
}

interface Filling {
  readonly folder: string;
  readonly settings: Json;
  readonly lookUp: LookUp;
}

function entryOf({ command, args, env }: Json, filling: Filling): ServerEntry {
  const words = textsOf(args).flatMap((word) => wordsOf(word, filling));
  const variables = Object.entries(recordOf(env)).flatMap(([name, text]) => {
    const value = typeof text === 'string' && /^[A-Za-z_]\w*$/.test(name) ? filled(text, filling) : undefined;
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const program = filled(String(command), filling) ?? '';
  return {
    command:
      !isAbsolute(program) && /[/\\]/.test(program)
        ? joined([{ literal: join(filling.folder, String(command)) }])
        : program,
    args: words,
    ...(variables.length > 0 && { env: Object.fromEntries(variables) }),
  };
}

/** A word that is one setting with several default values becomes several words. */
function wordsOf(word: string, filling: Filling): readonly string[] {
  const [, key] = /^\$\{user_config\.([\w-]+)\}$/.exec(word) ?? [];
  if (key === undefined) return [filled(word, filling)].flatMap((text) => text ?? []);
  const several = textsOf(recordOf(filling.settings[key]).default).map(withPlaces);
  const value = filling.lookUp(key);
  if (value === undefined) return [];
  const isDefault = 'literal' in value && value.literal === several[0];
  return isDefault ? several.map((each) => joined([{ literal: each }])) : [joined([value])];
}

/** Other variables of the manifest stay text: they name nothing of the user. `undefined`: an input has no value. */
function filled(text: string, { folder, lookUp }: Filling): string | undefined {
  const pieces = text.split(/(\$\{[^}]*\})/).map((part): Piece | undefined => {
    const [, name] = /^\$\{([^}]*)\}$/.exec(part) ?? [];
    if (name === '__dirname') return { literal: folder };
    if (name?.startsWith('user_config.')) return lookUp(name.slice('user_config.'.length));
    return { literal: withPlaces(part) };
  });
  return pieces.includes(undefined) ? undefined : joined(pieces.flatMap((piece) => piece ?? []));
}

function withPlaces(text: string): string {
  const home = homedir();
  return text
    .replaceAll(/\$\{HOME\}/g, home)
    .replaceAll(/\$\{(DESKTOP|DOCUMENTS|DOWNLOADS)\}/g, (_, name: string) =>
      join(home, name[0] + name.slice(1).toLowerCase()),
    )
    .replaceAll(/\$\{(?:\/|pathSeparator)\}/g, sep);
}

async function unpackOnce(path: string, folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined)) !== undefined) return;
  const draft = `${folder}.${randomUUID()}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    await unpack(path, draft);
    await rename(draft, folder);
  } catch (error) {
    // Another process has unpacked the same bundle.
    if ((await stat(folder).catch(() => undefined)) === undefined) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function unpack(path: string, folder: string): Promise<void> {
  let bytes = 0;
  await eachEntry(path, async (entry, zip) => {
    bytes += entry.uncompressedSize;
    if (bytes > bounds.bytes) throw unusable(path, `it unpacks to more than ${bounds.bytes} bytes`);
    const target = join(folder, entry.fileName);
    if (!relativeInside(target, folder)) throw unusable(path, `its entry "${entry.fileName}" is outside of it`);
    if (entry.fileName.endsWith('/')) {
      await mkdir(target, { recursive: true, mode: 0o700 });
      return;
    }
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    // yauzl ends a stream that yields more or less than the declared size.
    const content = await zip.openReadStreamPromise(entry);
    await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    const isProgram = (modeOf(entry) & 0o111) !== 0;
    if (isProgram) await chmod(target, 0o700);
  });
}

function modeOf({ externalFileAttributes }: Entry): number {
  return (externalFileAttributes >>> 16) & 0xffff;
}

const typeMask = 0o170000;
const regularTypes: readonly number[] = [0, 0o100000, 0o040000];

async function readManifest(path: string): Promise<Json> {
  let manifest: unknown;
  await eachEntry(path, async (entry, zip) => {
    if (entry.fileName !== 'manifest.json') return;
    if (entry.uncompressedSize > bounds.manifestBytes) throw unusable(path, 'its manifest is too large');
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    try {
      manifest = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      throw unusable(path, `its manifest is not JSON: ${messageOf(error)}`);
    }
  });
  if (isRecord(manifest)) return manifest;
  throw unusable(path, 'it has no manifest.json');
}

/** Calls `act` for each entry in turn. Refuses links and other special files, encryption, and names that lead outside. */
async function eachEntry(path: string, act: (entry: Entry, zip: ZipFile) => Promise<void>): Promise<void> {
  const { openPromise } = (await import('yauzl')).default;
  try {
    const zip = await openPromise(path, { strictFileNames: true });
    if (zip.entryCount > bounds.entries) {
      zip.close();
      throw unusable(path, `it has more than ${bounds.entries} files`);
    }
    for await (const entry of zip.eachEntry()) {
      if (!regularTypes.includes(modeOf(entry) & typeMask))
        throw unusable(path, `its entry "${entry.fileName}" is a link or a special file`);
      await act(entry, zip);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw unusable(path, messageOf(error));
  }
}

function textsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.flatMap((item) => (['string', 'number', 'boolean'].includes(typeof item) ? [String(item)] : []));
}

function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}
