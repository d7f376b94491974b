import { optionTable } from '@x/internal/options';
import { findHost } from './adapters/all-hosts.js';
import type { HostAdapter } from './adapters/host-adapter.js';
import { readEntries } from './edit/edit-entries.js';
import { documentLayout } from './entry/entry-form.js';
import { findHostFile } from './files/find-host-file.js';
import { hostFilePaths } from './files/host-file-paths.js';
import { readHostText } from './files/read-host-text.js';
import { repositoryRoot } from './files/repository-root.js';
import { resolveTarget } from './files/resolve-target.js';
import { HostFileError, isHostFileError } from './host-error.js';
import type { HostPath } from './place/host-paths.js';
import { currentPlace, currentPlatform, type HostPlace, type KeyPlace } from './place/host-place.js';
import { switchedOff } from './switched-off.js';
import { noOwnership, type Ownership, ownedFile } from './sync/ownership.js';
import type { HostDocument } from './sync/sync-plan.js';

/** Options of `readHostDocuments`. */
export interface ReadDocumentsOptions {
  /** Default: this machine and user, without a project. */
  readonly place?: HostPlace | undefined;
  /** Further directories that may contain the target of a link. Default: none. */
  readonly allowedPlaces?: readonly string[] | undefined;
  /** `read` accepts files that are not writable. Default `sync`. */
  readonly purpose?: 'read' | 'sync' | undefined;
  /** Record of earlier writes, which shows files that hosts no longer read. */
  readonly ownership?: Ownership | undefined;
  /** Waits between attempts to read an incomplete file. Default 100 ms. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Further keys are those of `syncHosts`. */
const documentOptions = optionTable<ReadDocumentsOptions>('ignored')({
  place: { kind: 'object' },
  allowedPlaces: { kind: 'texts' },
  purpose: { kind: 'word', words: ['read', 'sync'] },
  ownership: { kind: 'object' },
  pause: { kind: 'function' },
});

/**
 * Reads hosts' files for `planSync`. An unreadable file becomes a document with a `fault`.
 *
 * @param hosts - Ids, families or short names; see `listHosts`.
 * @throws {HostFileError} `unknown-host`; `invalid-location` if a host has no file on this platform or without a
 *   project
 */
export async function readHostDocuments(
  hosts: readonly string[],
  options: ReadDocumentsOptions = {},
): Promise<readonly HostDocument[]> {
  if (!Array.isArray(hosts)) throw new TypeError(`hosts must be a list of hosts, such as ["cursor-user"]`);
  const { place = currentPlace() } = documentOptions.read(options);
  const scope = place.project === undefined ? 'user' : 'project';
  const adapters = [...new Set(hosts.map((host) => findHost(host, scope)))];
  const documents = await Promise.all(adapters.map((adapter) => documentsOf(adapter, place, options)));
  return documents.flat();
}

async function documentsOf(
  adapter: HostAdapter,
  place: HostPlace,
  options: ReadDocumentsOptions,
): Promise<readonly HostDocument[]> {
  const paths = await hostFilePaths(adapter, place);
  const found = await findHostFile(paths);
  const repository = await repositoryOf(adapter, place);
  if (found === undefined) {
    const [expected] = paths;
    if (expected === undefined || options.purpose !== 'read') throw noFile(adapter, place, expected);
    const { path: file, inside } = expected;
    return [{ host: adapter.id, platform: place.platform, project: place.project, ...repository, file, inside }];
  }

  const isNewest = found.chosen.kind === 'newest';
  const chosen = isNewest
    ? undefined
    : await fileWithServers(adapter, { ...place, ...repository }, found.existing, options);
  const file = chosen ?? found.chosen.path;
  const others = found.existing.filter((path) => path !== file);
  const isOwned = (path: string) => ownedFile(options.ownership ?? noOwnership, path) !== undefined;
  const isOff = adapter.switches === undefined ? undefined : await switchedOff(adapter, { ...place, ...repository });
  const { platform, project } = place;
  const base = { host: adapter.id, platform, project, ...repository, ...(isOff && { isOff }) };
  const current = { ...base, file, ...(others.length === 0 || isNewest ? {} : { alsoFound: others }) };
  const retired = others.filter(isOwned).map((path) => ({ ...base, file: path, isRetired: true as const }));
  return Promise.all(
    [current, ...retired].map((document) => withText(document, insideOf(document.file, paths, found.chosen), options)),
  );
}

async function repositoryOf(
  { layouts, switches = [] }: HostAdapter,
  { platform, project }: HostPlace,
): Promise<Pick<HostDocument, 'repository'>> {
  const isNamed = [...layouts, ...switches].some(({ keyPath }) => keyPath.includes('{repository}'));
  if (!isNamed || project === undefined || platform !== currentPlatform()) return {};
  return { repository: await repositoryRoot(project) };
}

/** First of several files that has servers. */
async function fileWithServers(
  adapter: HostAdapter,
  place: KeyPlace,
  existing: readonly string[],
  options: ReadDocumentsOptions,
): Promise<string | undefined> {
  if (existing.length < 2) return undefined;
  for (const path of existing) {
    const text = await readHostText(path, { pause: options.pause }).catch(() => undefined); // reported once the file is chosen
    if (text !== undefined && countServers(adapter, text, place) > 0) return path;
  }
  return undefined;
}

function countServers(adapter: HostAdapter, text: string, place: KeyPlace): number {
  try {
    return readEntries(text, documentLayout(adapter, text, place).shape).size;
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    return 0;
  }
}

function insideOf(file: string, paths: readonly HostPath[], chosen: HostPath): string {
  return paths.find((path) => path.path === file)?.inside ?? chosen.inside;
}

async function withText(
  document: Omit<HostDocument, 'inside' | 'text'>,
  inside: string,
  { allowedPlaces, pause, purpose = 'sync' }: ReadDocumentsOptions,
): Promise<HostDocument> {
  const { file, host } = document;
  const adapter = findHost(host);
  try {
    const { path } = await resolveTarget(file, { inside, allowedPlaces, forWriting: purpose === 'sync' });
    const text = await readHostText(path, { isWhole: (read) => isWhole(adapter, read, document), pause });
    return { ...document, inside, ...(text === undefined ? {} : { text }) };
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    return { ...document, inside, fault: error };
  }
}

/** False for an empty or incomplete text, which its host may still be writing. */
function isWhole(adapter: HostAdapter, text: string, place: KeyPlace): boolean {
  if (text.trim() === '') return false;
  try {
    documentLayout(adapter, text, place);
    readEntries(text, { dialect: adapter.dialect, keyPath: adapter.layouts[0].keyPath, collection: 'map' });
    return true;
  } catch (error) {
    return !(isHostFileError(error) && error.code === 'unreadable-document');
  }
}

function noFile({ id, scope }: HostAdapter, { platform, project }: HostPlace, expected: HostPath | undefined) {
  if (expected !== undefined) {
    const message =
      expected.kind === 'newest'
        ? `${id} has no folder for ${expected.path}: start the host once, which makes it`
        : `${id} has ${expected.path} below ${expected.inside}, which does not exist. Mount its drive, or create it`;
    return new HostFileError('invalid-location', message, { missing: 'folder' });
  }
  const missing = scope !== 'user' && project === undefined ? 'project' : 'platform';
  const why = missing === 'project' ? 'without a project (place.project)' : `on ${platform}`;
  return new HostFileError('invalid-location', `${id} has no file ${why}`, { missing });
}
