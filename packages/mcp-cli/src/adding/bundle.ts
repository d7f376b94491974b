import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { arch, homedir, platform } from 'node:os';
import { dirname, isAbsolute, join, posix, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { messageOf } from '@x/internal/errors';
import { exists, relativeInside } from '@x/internal/files';
import { isRecord } from '@x/internal/json';
import type { Entry, ZipFile } from 'yauzl';
import { CommandError, exitCodes } from '../command.js';
import { printableLine } from '../output/print.js';
import type { ServerEntry } from '../writing-config/host-entry.js';
import {
  isVariableName,
  joined,
  type LookUp,
  leftOut,
  type OfferedServer,
  type Piece,
  type ServerInput,
  shortName,
  variableName,
} from './offered-server.js';

type Json = Readonly<Record<string, unknown>>;

const bounds = {
  bundleBytes: 500_000_000,
  entries: 50_000,
  bytes: 1_000_000_000,
  manifestBytes: 1_000_000,
  inputs: 200,
};

/** An MCP bundle whose manifest was read. Nothing of it is on disk yet. */
export interface Bundle extends OfferedServer {
  /** Name of its private folder, which depends on its content. */
  readonly folder: string;
  /** Unpacks it. Returns false if a bundle with the same content was unpacked earlier. */
  unpack(): Promise<boolean>;
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
  const digest = await digestOf(path);
  const manifest = await readManifest(path);
  const { name, server, compatibility } = manifest;
  if (typeof name !== 'string' || !isRecord(server)) throw unusable(path, 'its manifest has no "name" and "server"');
  const { platforms } = recordOf(compatibility);
  if (Array.isArray(platforms) && !platforms.includes(platform()))
    throw unusable(path, `it runs on ${platforms.join(', ')}, and this is ${platform()} ${arch()}`);
  const own = shortName(name);
  const folderName = `${own}-${digest.slice(0, 32)}`;
  const folder = join(bundlesIn(stateDirectory), folderName);
  const config = launchOf(server);
  if (config === undefined) throw unusable(path, 'its manifest has no "server.mcp_config.command"');
  const { command, args, env } = config;
  if (!staysInside(String(command), folder))
    throw unusable(path, `its command "${String(command)}" is a path outside of it`);
  const settings = recordOf(manifest.user_config);
  const names = Object.keys(recordOf(env));
  if (Object.keys(settings).length + textsOf(args).length + names.length > bounds.inputs)
    throw unusable(path, `it has more than ${bounds.inputs} arguments, variables and inputs`);
  return {
    name: own,
    folder: folderName,
    origin: path,
    notes: names.filter((each) => !isVariableName(each)).map((each) => leftOut('variable', each)),
    inputs: Object.entries(settings).flatMap(([key, setting]) =>
      isRecord(setting) ? [inputOf(key, setting, own)] : [],
    ),
    entry: (lookUp) => entryOf(config, { folder, settings, lookUp }),
    unpack: () => unpackOnce(path, folder, { digest, manifest }),
  };
}

/** Directory with a folder for each unpacked bundle. */
export function bundlesIn(stateDirectory: string): string {
  return join(stateDirectory, 'bundles');
}

function unusable(path: string, reason: string): CommandError {
  return new CommandError(
    exitCodes.failed,
    `${path} cannot be added: ${printableLine(reason, 300).replace(/\.+$/, '')}. Nothing was written.`,
  );
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** True for a name, an input of the user, or a path below the folder. */
function staysInside(command: string, folder: string): boolean {
  if (/^\$\{user_config\.[\w-]+\}$/.test(command)) return true;
  const program = withPlaces(command.replaceAll(/\$\{__dirname\}/g, () => folder));
  if (!/[/\\]/.test(program)) return true;
  return !program.includes('${') && Boolean(relativeInside(resolve(folder, program), folder));
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
    const value = typeof text === 'string' && isVariableName(name) ? filled(text, filling) : undefined;
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

interface Shown {
  readonly digest: string;
  readonly manifest: Json;
}

/** From a private copy, so that nothing but what was shown is unpacked. */
async function unpackOnce(path: string, folder: string, shown: Shown): Promise<boolean> {
  if (await exists(folder)) return false;
  const draft = `${folder}.${randomUUID()}`;
  const copy = join(draft, 'bundle');
  const content = join(draft, 'content');
  try {
    await mkdir(content, { recursive: true, mode: 0o700 });
    await copyFile(path, copy);
    if ((await digestOf(copy)) !== shown.digest || !isDeepStrictEqual(await readManifest(copy), shown.manifest))
      throw unusable(path, 'it was replaced after it was read');
    await unpack(copy, content);
    await rename(content, folder);
    return true;
  } catch (error) {
    // Another process has unpacked the same bundle.
    if (!(await exists(folder))) throw named(path, copy, error);
    return false;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** An error in terms of the bundle, without paths of the private folder. */
function named(path: string, copy: string, error: unknown): CommandError {
  if (error instanceof CommandError)
    return new CommandError(
      error.exitCode,
      error.message.replace(copy, () => path),
    );
  return unusable(path, reasonOf(error));
}

/** Messages of Node name the private folder. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? `it cannot be unpacked (${String(error.code)})` : messageOf(error);
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
    const content = await zip.openReadStreamPromise(entry);
    const output = createWriteStream(target, { flags: 'wx', mode: 0o600 });
    await pipeline(content, (chunks: AsyncIterable<Buffer>) => checked(chunks, entry, path), output);
    const isProgram = (modeOf(entry) & 0o111) !== 0;
    if (isProgram) await chmod(target, 0o700);
  });
}

/** The content, which must have its checksum. yauzl compares the size only. */
async function* checked(chunks: AsyncIterable<Buffer>, entry: Entry, path: string): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of chunks) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw unusable(path, `its entry "${entry.fileName}" has another checksum: it is damaged`);
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
    const content: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    for await (const chunk of checked(content, entry, path)) chunks.push(chunk);
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
    const names = new Set<string>();
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName === './') continue;
      if (/[\p{Cc}\p{Cf}]/u.test(entry.fileName)) throw unusable(path, 'the name of an entry has control characters');
      const name = posix.normalize(entry.fileName).replace(/\/$/, '').normalize('NFC').toLowerCase();
      if (names.has(name)) throw unusable(path, `it has two entries with the name "${entry.fileName}" in some case`);
      names.add(name);
      if (!regularTypes.includes(modeOf(entry) & typeMask))
        throw unusable(path, `its entry "${entry.fileName}" is a link or a special file`);
      await act(entry, zip);
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw unusable(path, reasonOf(error));
  }
}

function textsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.flatMap((item) => (['string', 'number', 'boolean'].includes(typeof item) ? [String(item)] : []));
}

function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}
