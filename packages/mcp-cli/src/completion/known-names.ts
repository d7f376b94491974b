import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hexDigest, replaceFile } from '@x/internal/files';
import type { Io } from '../command.js';
import type { Control } from '../control/control.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { configIdentityOf } from '../daemon/locate-daemon.js';
import { offeredByOthers } from '../fleet/fleet-report.js';
import type { ArgumentsRequest, Candidate, NameKind } from './complete.js';
import { argumentCandidates, argumentsIn } from './known-arguments.js';
import type { KnownNames, KnownTool } from './read-names.js';

/** Longest wait for the daemon, in milliseconds, because a user waits after pressing Tab. */
const daemonMs = 1_500;

interface NamesRequest {
  readonly kind: NameKind;
  readonly typed: string;
  readonly config: readonly string[];
}

/** Arguments of a tool, or their values. The same sources as of `namesFor`. */
export async function argumentsFor(
  request: ArgumentsRequest,
  { config }: Pick<NamesRequest, 'config'>,
  io: Io,
): Promise<readonly Candidate[]> {
  const options = config.length > 0 ? { config } : {};
  const { tool } = request;
  const found = await askDaemon(options, io, async (control, signal) => {
    const description = await control.describe({ tool, signal });
    return argumentsIn(description.tool.inputSchema);
  });
  if (found) return argumentCandidates(found, request);
  const { tools } = await fromFiles(options, io);
  const written = tool.replace('/', '.');
  const known = tools.find(({ value, dotted }) => value === tool || (dotted !== undefined && dotted === written));
  return argumentCandidates(known?.arguments ?? [], request);
}

/** `undefined` without a daemon that answers. */
async function askDaemon<Answer>(
  options: { readonly config?: readonly string[] },
  io: Io,
  ask: (control: Control, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | undefined> {
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(daemonMs)]);
  try {
    await using control = await findDaemon(options, { ...io, signal, stderr: undefined });
    return control && (await ask(control, signal));
  } catch {
    return undefined; // names from files are better than none
  }
}

/**
 * Candidates from the daemon if one runs, else from the last read of the config. Starts nothing, resolves no secret and
 * reports no error.
 */
export async function namesFor({ kind, typed, config }: NamesRequest, io: Io): Promise<readonly Candidate[]> {
  if (kind === 'hosts') {
    const { listHosts } = await import('@x/mcp-host-sync');
    return listHosts().map(({ id, name }) => ({ value: id, description: name }));
  }
  const options = config.length > 0 ? { config } : {};
  const found = await askDaemon(options, io, (control, signal) => fromDaemon(control, kind, typed, signal));
  if (found) return found;
  const names = await fromFiles(options, io);
  if (kind === 'tools') return asTyped(names.tools, typed);
  if (kind === 'lost-nodes') return [];
  return names[kind === 'all-servers' ? 'servers' : kind];
}

/** Public names, and `server.tool` once the user has typed something. */
function asTyped(tools: readonly Omit<KnownTool, 'arguments'>[], typed: string): readonly Candidate[] {
  const dotted = tools.flatMap(({ dotted: value, description }) =>
    value === undefined ? [] : [{ value, description }],
  );
  return typed === '' ? tools : [...tools, ...dotted];
}

async function fromDaemon(
  control: Control,
  kind: Exclude<NameKind, 'hosts'>,
  typed: string,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  if (kind === 'servers' || kind === 'all-servers' || kind === 'lost-nodes') {
    const { servers, fleet } = await control.status({ signal });
    const lost = fleet?.nodes.filter(({ state }) => state === 'unreachable') ?? [];
    if (kind === 'lost-nodes') return lost.map(({ node, state }) => ({ value: node, description: state }));
    const others = kind === 'all-servers' && fleet ? offeredByOthers(fleet) : [];
    const own = servers.map(({ name, state }) => ({ value: name, description: state }));
    const names = new Set(servers.map(({ name }) => name));
    return [...own, ...others.filter((name) => !names.has(name)).map((value) => ({ value }))];
  }
  if (kind === 'roles') return (await control.roles({ signal })).map(({ role }) => ({ value: role }));
  // In "server.tool" the dot matches the separator of public names.
  const query = typed === '' ? '.' : typed.replace(/[^\w-]/g, '.+');
  const { tools } = await control.search({ request: { query, useRegex: true, limit: 100, include: 'known' }, signal });
  const known = tools.map(({ name, server, tool, description }) => ({
    value: name,
    ...(server !== undefined && !/[./]/.test(tool) && { dotted: `${server}.${tool}` }),
    description,
  }));
  return asTyped(known, typed);
}

type Stamp = readonly (readonly [path: string, mtimeMs: number, size: number])[];

interface CachedNames {
  readonly format: 3;
  readonly stamp: Stamp;
  readonly names: KnownNames;
}

/** Reading a config is slow, so its names are cached until a file changes. */
async function fromFiles(options: { readonly config?: readonly string[] }, io: Io): Promise<KnownNames> {
  const file = cacheFile(options, io);
  const cached = file === undefined ? undefined : await readCache(file);
  if (cached && (await isCurrent(cached.stamp))) return cached.names;
  const { readNames } = await import('./read-names.js');
  const { names, files } = await readNames(options, io);
  if (file !== undefined)
    await writeCache(file, { format: 3, stamp: await stampOf(files), names }).catch(() => undefined);
  return names;
}

function cacheFile(options: { readonly config?: readonly string[] }, io: Io): string | undefined {
  const { stateDirectory } = io;
  if (stateDirectory === undefined) return undefined;
  // Without a project config the user's config applies, so all directories share one entry.
  return join(stateDirectory, 'completion', `${hexDigest(configIdentityOf(options, io), 16)}.json`);
}

async function readCache(file: string): Promise<CachedNames | undefined> {
  try {
    const value = JSON.parse(await readFile(file, 'utf8')) as CachedNames;
    return value.format === 3 && Array.isArray(value.stamp) && Array.isArray(value.names.tools) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function writeCache(file: string, cached: CachedNames): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, JSON.stringify(cached), { fsync: false });
}

async function isCurrent(stamp: Stamp): Promise<boolean> {
  const now = await stampOf(stamp.map(([path]) => path));
  return stamp.length > 0 && JSON.stringify(now) === JSON.stringify(stamp);
}

/** A missing file has stamp zero, so that its creation is detected. */
function stampOf(files: readonly string[]): Promise<Stamp> {
  return Promise.all(
    files.map((path) =>
      stat(path).then(
        ({ mtimeMs, size }) => [path, mtimeMs, size] as const,
        () => [path, 0, 0] as const,
      ),
    ),
  );
}
