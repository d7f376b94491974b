import { findHost } from './adapters/all-hosts.js';
import { documentLayout } from './document-layout.js';
import { readEntries } from './edit/host-document.js';
import { isGatewayServer } from './entry/gateway-entry.js';
import { readEntry } from './entry/read-entry.js';
import type { HostDocument } from './host-document.js';
import { inFile, isHostFileError } from './host-error.js';
import type { HostIssue } from './host-issue.js';
import type { HostServer } from './host-server.js';
import { currentPlace, type HostPlace } from './place/host-place.js';
import { readHostDocuments } from './read-documents.js';

/** What a host has, in our shape. */
export interface HostReading {
  readonly host: string;
  readonly file: string;
  /** Whether there is a file. */
  readonly exists: boolean;
  /** In the order of the file. Holds whatever the file holds, secrets too. */
  readonly servers: readonly HostServer[];
  /** Names of entries that are our own gateway, and therefore not among `servers`. */
  readonly gateway: readonly string[];
  /** What could not be understood. */
  readonly issues: readonly HostIssue[];
}

/**
 * Reads the servers of a host into our shape.
 *
 * @param host - An id such as `cursor-user`; a family or short name means its user scope, or its project scope where
 *   `place` has a project.
 * @throws {HostFileError} `unknown-host`, `invalid-location`, `unreadable-document`, `unsupported-shape`, `unreadable-file`,
 *   `not-a-file`, `not-text`, `too-large`, `broken-link`, `outside-expected-place`
 */
export async function readHost(
  host: string,
  place: HostPlace = currentPlace(),
  { allowedPlaces }: { readonly allowedPlaces?: readonly string[] | undefined } = {},
): Promise<HostReading> {
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
  const { file, text = '', project } = document;
  const { shape, form } = documentLayout(adapter, text, project);
  const read = Array.from(readEntries(text, shape), ([name, value]) => readEntry(name, value, adapter, form));
  const servers = read.flatMap(({ server }) => server ?? []);
  return {
    host: adapter.id,
    file,
    exists: document.text !== undefined,
    servers: servers.filter((server) => !isGatewayServer(server)),
    gateway: servers.filter(isGatewayServer).map(({ name }) => name),
    issues: read.flatMap(({ issues }) => issues).map((issue) => ({ ...issue, file })),
  };
}
