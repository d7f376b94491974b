import { optionTable } from '@x/internal/options';
import { quoted } from '@x/internal/text';
import { findHost } from './adapters/all-hosts.js';
import type { HostAdapter } from './adapters/host-adapter.js';
import { readEntries } from './edit/edit-entries.js';
import { documentLayout } from './entry/entry-form.js';
import { readEntry } from './entry/read-entry.js';
import { inFile, isHostFileError } from './host-error.js';
import { type HostInput, inputsIn } from './host-input.js';
import type { HostIssue } from './host-issue.js';
import { type HostServer, isGatewayServer } from './host-server.js';
import { currentPlace, type HostPlace } from './place/host-place.js';
import { type ReadDocumentsOptions, readHostDocuments } from './read-documents.js';
import type { HostDocument } from './sync/sync-plan.js';
import { restrictsServer, toolRulesIn } from './tool-rules.js';

/** The servers of a host in the common form. */
export interface HostReading {
  readonly host: string;
  readonly file: string;
  /** True if the file exists. */
  readonly exists: boolean;
  /** In file order. May contain secrets. */
  readonly servers: readonly HostServer[];
  /** Names of entries that start this project's gateway, which `servers` omits. */
  readonly gateway: readonly string[];
  /** Entries and fields that could not be converted. */
  readonly issues: readonly HostIssue[];
  /** Values that the host asks its user for. Absent without any. */
  readonly inputs?: readonly HostInput[] | undefined;
}

const readOptions = optionTable<Pick<ReadDocumentsOptions, 'allowedPlaces'>>()({ allowedPlaces: { kind: 'texts' } });

/**
 * Reads the servers of a host.
 *
 * @param host - An id such as `cursor-user`. A family or short name selects the project scope if `place` has a project,
 * else the user scope.
 * @throws {HostFileError} `unknown-host`, `invalid-location`, `unreadable-document`, `unsupported-shape`,
 * `unreadable-file`, `not-a-file`, `not-text`, `too-large`, `broken-link`, `outside-expected-place`
 */
export async function readHost(
  host: string,
  place: HostPlace = currentPlace(),
  options: Pick<ReadDocumentsOptions, 'allowedPlaces'> = {},
): Promise<HostReading> {
  if (typeof host !== 'string') throw new TypeError(`host must be the name of a host, such as "cursor-user"`);
  const { allowedPlaces } = readOptions.read(options);
  const [document] = await readHostDocuments([host], { place, allowedPlaces, purpose: 'read' });
  if (document === undefined) throw new TypeError('host must name a host');
  if (document.fault !== undefined) throw document.fault;
  try {
    return readingOf(document);
  } catch (error) {
    throw isHostFileError(error) ? inFile(error, document.file) : error;
  }
}

function readingOf(document: HostDocument): HostReading {
  const adapter = findHost(document.host);
  const { file, text = '', platform, isOff = () => false } = document;
  const { shape, form } = documentLayout(adapter, text, document);
  const read = Array.from(readEntries(text, shape), ([name, value]) => readEntry(name, value, adapter, form, platform));
  const servers = read.flatMap(({ server }) =>
    server === undefined ? [] : isOff(server.name) ? { ...server, enabled: false } : server,
  );
  const own = servers.filter((server) => !isGatewayServer(server));
  const issues = [...read.flatMap((entry) => entry.issues), ...restricted(own, text, adapter)];
  const inputs = inputsIn(text, adapter);
  return {
    host: adapter.id,
    file,
    exists: document.text !== undefined,
    servers: own,
    gateway: servers.filter(isGatewayServer).map(({ name }) => name),
    issues: issues.map((issue) => ({ ...issue, file })),
    ...(inputs.length > 0 && { inputs }),
  };
}

/** Reports servers that tool rules outside of their entries restrict. */
function restricted(servers: readonly HostServer[], text: string, adapter: HostAdapter): readonly HostIssue[] {
  return toolRulesIn(text, adapter).flatMap(({ key, rules }) =>
    servers
      .filter(({ name }) => restrictsServer(rules, name))
      .map(({ name }): HostIssue => {
        const message = `The host restricts tools of this server in its ${quoted(key)}; these rules are not read`;
        const hint = 'list the tools in allowed_tools or denied_tools of the server';
        return { code: 'field-not-supported', severity: 'warning', host: adapter.id, server: name, message, hint };
      }),
  );
}
