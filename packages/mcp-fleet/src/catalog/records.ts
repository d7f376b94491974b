import { isRecord } from '@x/internal/json';
import { isCount } from '../calls/json.js';
import { decodeToken, encodeToken, isNodeName } from '../token.js';

/** What the fleet keeps in its bucket: one record a key, written as JSON. */
export type FleetRecord =
  | { readonly kind: 'lease'; readonly node: string; readonly record: LeaseRecord }
  | { readonly kind: 'server'; readonly node: string; readonly server: string; readonly record: ServerRecord }
  | { readonly kind: 'singleton'; readonly server: string; readonly record: SingletonRecord };

/** A node's heartbeat. */
export interface LeaseRecord {
  /** Grows each time that the node's name is taken. */
  readonly incarnation: number;
  /** Who took it: random, so that two who took the same name at the same time are told apart. */
  readonly session: string;
  /** Counts the session's heartbeats. */
  readonly beat: number;
  readonly heartbeatMs: number;
  /** What the node's own clock said, in milliseconds of Unix time. Never compared with another clock. */
  readonly sentAtMs: number;
  /** What its principals are signed with: the public half, as a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** Calls under way by server, for servers that more than one node has. Those without any are left out. */
  readonly load: Readonly<Record<string, number>>;
}

/** How a server is used by the fleet. */
export type Placement = 'local' | 'pinned' | 'singleton' | 'replicated';

/** What a node tells of one of its servers. */
export interface ServerRecord {
  readonly incarnation: number;
  /** Grows with each write of the incarnation. */
  readonly seq: number;
  readonly placement: Exclude<Placement, 'local'>;
  readonly state: string;
  readonly tools: ToolDigests;
}

/**
 * Each tool's name and the digest of its definition. Of a long list the digests of its pages, which are fetched like
 * definitions, and how many tools are on them.
 */
export type ToolDigests = readonly ToolDigest[] | PagedDigests;

export interface PagedDigests {
  readonly pages: readonly string[];
  readonly count: number;
}

export type ToolDigest = readonly [name: string, digest: string];

/** Who runs the server that the fleet runs once. Valid as long as the node's lease. */
export interface SingletonRecord {
  readonly node: string;
  readonly incarnation: number;
  /** Grows with each change of the holder. */
  readonly epoch: number;
  /** The holder's: who cannot see its lease any more waits for as long as it may have lasted. */
  readonly heartbeatMs: number;
}

const VERSION = 1;
/** Tools of one server, at the most. */
export const MAX_TOOLS = 100_000;
/** More pages than a list of so many tools can need on any bus. */
const MAX_PAGES = 10_000;
/** A word such as `running`, and not a text. */
const MAX_STATE_LENGTH = 64;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export const leaseKey = (node: string) => `lease.${node}`;
export const serverKey = (node: string, server: string) => `server.${node}.${encodeToken(server)}`;
export const singletonKey = (server: string) => `singleton.${encodeToken(server)}`;

/** A lease's or a singleton's record as it is written. */
export function encodeRecord(record: LeaseRecord | SingletonRecord): Uint8Array {
  return encoder.encode(JSON.stringify({ v: VERSION, ...record }));
}

/** What a node tells of a server, as text: the same as long as it tells the same. */
export function serverContent(content: Omit<ServerRecord, 'seq'>): string {
  return JSON.stringify({ v: VERSION, ...content });
}

/** A server's record as it is written. */
export function encodeServer(content: string, seq: number): Uint8Array {
  return encoder.encode(`{"seq":${seq},${content.slice(1)}`);
}

/** What a key of the bucket is about; `undefined` if it is none of the fleet's. */
export function parseKey(
  key: string,
):
  | { readonly kind: 'lease'; readonly node: string }
  | { readonly kind: 'server'; readonly node: string; readonly server: string }
  | { readonly kind: 'singleton'; readonly server: string }
  | undefined {
  const [kind, first = '', second, ...rest] = key.split('.');
  if (rest.length > 0) return undefined;
  if (kind === 'singleton' && second === undefined) {
    const server = decodeToken(first);
    return server === undefined ? undefined : { kind, server };
  }
  if (!isNodeName(first)) return undefined;
  if (kind === 'lease' && second === undefined) return { kind, node: first };
  const server = kind === 'server' && second !== undefined ? decodeToken(second) : undefined;
  return server === undefined ? undefined : { kind: 'server', node: first, server };
}

/** Reads a record that somebody wrote; `undefined` when it is none that this version knows. */
export function decodeRecord(key: string, value: Uint8Array): FleetRecord | undefined {
  const about = parseKey(key);
  const json = about && parseRecord(value);
  if (json === undefined || json.v !== VERSION) return undefined;
  if (about?.kind === 'lease') {
    const record = readLease(json);
    return record && { ...about, record };
  }
  if (about?.kind === 'server') {
    const record = readServer(json);
    return record && { ...about, record };
  }
  const record = readSingleton(json);
  return about && record && { ...about, record };
}

function readLease(json: Json): LeaseRecord | undefined {
  const { incarnation, session, beat, heartbeatMs, sentAtMs, publicKey, load = {} } = json;
  if (
    !isCount(incarnation) ||
    !isCount(beat) ||
    typeof session !== 'string' ||
    !isAmount(heartbeatMs) ||
    !isAmount(sentAtMs)
  )
    return undefined;
  if (!isRecord(publicKey) || !isRecord(load) || !Object.values(load).every(isCount)) return undefined;
  return { incarnation, session, beat, heartbeatMs, sentAtMs, publicKey, load: load as Record<string, number> };
}

function readServer(json: Json): ServerRecord | undefined {
  const { incarnation, seq, placement, state, tools } = json;
  if (!isCount(incarnation) || !isCount(seq) || typeof state !== 'string' || state.length > MAX_STATE_LENGTH)
    return undefined;
  if (placement !== 'pinned' && placement !== 'singleton' && placement !== 'replicated') return undefined;
  const digests = readDigests(tools);
  return digests && { incarnation, seq, placement, state, tools: digests };
}

function readDigests(tools: unknown): ToolDigests | undefined {
  if (isToolDigests(tools)) return tools;
  if (!isRecord(tools)) return undefined;
  const { pages, count } = tools;
  const isPaged = Array.isArray(pages) && pages.length <= MAX_PAGES && pages.every(isDigest);
  return isPaged && isCount(count) && count <= MAX_TOOLS ? { pages, count } : undefined;
}

/** Whether something that was read is a list of names and digests. */
export function isToolDigests(value: unknown): value is readonly ToolDigest[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_TOOLS &&
    value.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && isDigest(pair[1]))
  );
}

function readSingleton(json: Json): SingletonRecord | undefined {
  const { node, incarnation, epoch, heartbeatMs } = json;
  if (!isNodeName(node) || !isCount(incarnation) || !isCount(epoch) || !isAmount(heartbeatMs)) return undefined;
  return { node, incarnation, epoch, heartbeatMs };
}

/** As `digestOf` makes them. */
function isDigest(value: unknown): value is string {
  return typeof value === 'string' && value.length === 24;
}

type Json = Readonly<Record<string, unknown>>;

function parseRecord(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // whatever it is, it is no record
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
