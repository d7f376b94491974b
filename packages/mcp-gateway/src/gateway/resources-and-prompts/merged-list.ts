import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord, parseJson } from '@x/internal/json';
import type { RolePolicy } from '../../registry.js';
import { type GatewayNames, rewriteAppLink } from '../naming/gateway-names.js';
import { type Collision, collisionOf, type NameOwners, onlyOf } from '../naming/name-owners.js';
import type { UpstreamEntry } from '../upstream.js';
import { type PartKind, partRules } from './part-kinds.js';

/** One resource, template or prompt that an audience may use. */
interface VisiblePart {
  readonly server: string;
  /** Name within its server. */
  readonly key: string;
  /** Name for clients. */
  readonly name: string;
  readonly entry: UpstreamEntry;
}

export interface MergedParts {
  /** In the order of the servers and their lists. */
  readonly parts: readonly VisiblePart[];
  /** Names of several servers, or of one that is not their owner. Only the owner's entries are in `parts`. */
  readonly collisions: readonly Collision[];
}

export interface MissingList {
  readonly server: string;
  readonly reason: string;
}

export interface GatewayListing extends MergedParts {
  /** Servers with an incomplete list, if the requester may know of them. */
  readonly missing: readonly MissingList[];
}

interface MergeOptions {
  readonly kind: PartKind;
  readonly names: GatewayNames;
  readonly policy: RolePolicy;
  /** Default: a name of several servers belongs to none. */
  readonly owners?: NameOwners | undefined;
  /** Returns servers that may have a name without listing it. */
  readonly alsoOf?: ((name: string) => readonly string[]) | undefined;
}

export interface ListedServer {
  readonly server: string;
  readonly items: readonly UpstreamEntry[];
}

/** Entries that the policy hides cause no collision. */
export function mergeParts(listed: readonly ListedServer[], options: MergeOptions): MergedParts {
  const { owners, alsoOf = () => [] } = options;
  const byName = new Map<string, VisiblePart[]>();
  for (const part of listed.flatMap((list) => visibleParts(list, options))) {
    const same = byName.get(part.name);
    if (same === undefined) byName.set(part.name, [part]);
    // Of a name that one server lists twice, the first is kept.
    else if (same.every(({ server }) => server !== part.server)) same.push(part);
  }
  const parts: VisiblePart[] = [];
  const collisions: Collision[] = [];
  for (const [name, same] of byName) {
    const claimants = [...same.map(({ server }) => server), ...alsoOf(name)];
    const owner = owners === undefined ? onlyOf(claimants) : owners.award(name, claimants);
    parts.push(...same.filter(({ server }) => server === owner));
    const collision = collisionOf(name, claimants, owner);
    if (collision !== undefined) collisions.push(collision);
  }
  owners?.trim(byName);
  return { parts, collisions };
}

export function visibleParts(
  { server, items }: ListedServer,
  { kind, names, policy }: MergeOptions,
): readonly VisiblePart[] {
  const { keyOf, subjectOf, nameOf } = partRules[kind];
  return items.flatMap((entry) => {
    const key = keyOf(entry);
    if (key === undefined || !policy(subjectOf(server, key)).isAllowed) return [];
    return [{ server, key, name: nameOf(names, server, key), entry }];
  });
}

/** Key in `_meta` of a list: the servers with an incomplete list, each with a `reason` such as `timed-out`. */
const INCOMPLETE_META_KEY = 'mcp-registry/incomplete';

interface ListPage {
  readonly names: GatewayNames;
  readonly pageSize: number;
  readonly cursor: string | undefined;
}

export function listResult(
  kind: PartKind,
  { parts, missing }: GatewayListing,
  { names, pageSize, cursor }: ListPage,
): Readonly<Record<string, unknown>> {
  const { isEntry, rename } = partRules[kind];
  const { parts: page, ...next } = partPageOf(parts, pageSize, cursor);
  const entries = page.flatMap(({ server, entry, name }) => {
    const linked = rewriteAppLink(entry, (uri) => names.uri(server, uri));
    return toEntry(rename(linked, name), { name, isEntry, kind });
  });
  return { [kind]: entries, ...next, ...incompleteMeta(missing) };
}

export function incompleteMeta(missing: readonly MissingList[]) {
  return missing.length > 0 ? { _meta: { [INCOMPLETE_META_KEY]: missing } } : {};
}

/** An invalid annotation would cost clients the whole list, so such an entry loses its optional fields. */
function toEntry(
  entry: UpstreamEntry,
  { name, isEntry, kind }: { name: string; isEntry: (entry: unknown) => boolean; kind: PartKind },
): readonly UpstreamEntry[] {
  if (isEntry(entry)) return [entry];
  const title = typeof entry.name === 'string' ? entry.name : name;
  const bare = { resources: { uri: name, name: title }, resourceTemplates: { uriTemplate: name, name: title } };
  return kind === 'prompts' ? [{ name }] : [bare[kind]];
}

/** Peers refuse messages over 10 MB. Only a single entry makes a larger page. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

interface PartPage {
  readonly parts: readonly VisiblePart[];
  readonly nextCursor?: string;
}

/**
 * A cursor holds the last name of the previous page and its index: the list continues after that name, or at the index
 * if the name is gone.
 *
 * @throws {ProtocolError} -32602 for an unknown cursor.
 */
export function partPageOf(parts: readonly VisiblePart[], pageSize: number, cursor: string | undefined): PartPage {
  const start = cursor === undefined ? 0 : startOf(parts, cursor);
  let end = start;
  let length = 0;
  while (end < parts.length && end - start < pageSize) {
    length += JSON.stringify(parts[end]?.entry).length;
    if (length > MAX_PAGE_LENGTH && end > start) break;
    end++;
  }
  const page = parts.slice(start, end);
  const last = page.at(-1);
  if (last === undefined || end === parts.length) return { parts: page };
  return { parts: page, nextCursor: JSON.stringify({ after: last.name, at: end }) };
}

function startOf(parts: readonly VisiblePart[], cursor: string): number {
  const { after, at } = readCursor(cursor);
  const index = parts.findIndex(({ name }) => name === after);
  return index === -1 ? Math.min(at, parts.length) : index + 1;
}

function readCursor(cursor: string): { readonly after: string; readonly at: number } {
  const read = parseJson(cursor);
  if (isRecord(read) && typeof read.after === 'string' && Number.isSafeInteger(read.at) && Number(read.at) >= 0) {
    return { after: read.after, at: Number(read.at) };
  }
  const message = 'The cursor is not from this list; pass nextCursor unchanged, or omit it';
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
