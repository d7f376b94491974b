import { isRecord } from '@x/internal/json';
import { isCount } from '../calls/wire/json.js';
import { decodeToken, encodeToken, isNodeName } from '../token.js';

export type FleetRecord =
  | { readonly kind: 'lease'; readonly node: string; readonly record: LeaseRecord }
  | { readonly kind: 'server'; readonly node: string; readonly server: string; readonly record: ServerRecord }
  | { readonly kind: 'singleton'; readonly server: string; readonly record: SingletonRecord };

export interface LeaseRecord {
  /** Grows each time the name is claimed. */
  readonly incarnation: number;
  /** Random id of the process. Distinguishes two that claim the name at the same time. */
  readonly session: string;
  /** Number of the heartbeat within the session. */
  readonly beat: number;
  readonly heartbeatMs: number;
  /** Unix time in milliseconds on the node's own clock. Never compared with another clock. */
  readonly sentAtMs: number;
  /** Public key of its principals, as a JSON Web Key. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** Calls in progress by shared server; zeros are left out. */
  readonly load: Readonly<Record<string, number>>;
}

/** Sharing of a server within the fleet. */
export type Placement = 'local' | 'pinned' | 'singleton' | 'replicated';

export interface ServerRecord {
  readonly incarnation: number;
  readonly seq: number;
  readonly placement: Exclude<Placement, 'local'>;
  readonly state: string;
  readonly tools: ToolDigests;
}

/**
 * Name and definition digest of each tool. A long list has the digests of its pages, which are fetched like
 * definitions, and the number of tools.
 */
export type ToolDigests = readonly ToolDigest[] | PagedDigests;

interface PagedDigests {
  readonly pages: readonly string[];
  readonly count: number;
}

export type ToolDigest = readonly [name: string, digest: string];

/** Holder of a singleton. Valid as long as the lease of its node. */
export interface SingletonRecord {
  readonly node: string;
  readonly incarnation: number;
  readonly epoch: number;
  /** Heartbeat interval of the holder. Bounds the wait for an invisible lease. */
  readonly heartbeatMs: number;
}

const VERSION = 1;
/** Tools per server. */
export const MAX_TOOLS = 100_000;
/** Pages per list, more than any bus needs for `MAX_TOOLS`. */
const MAX_PAGES = 10_000;
const MAX_STATE_LENGTH = 64;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export const leaseKey = (node: string) => `lease.${node}`;
export const serverKey = (node: string, server: string) => `server.${node}.${encodeToken(server)}`;
export const singletonKey = (server: string) => `singleton.${encodeToken(server)}`;

export function encodeRecord(record: LeaseRecord | SingletonRecord): Uint8Array {
  return encoder.encode(JSON.stringify({ v: VERSION, ...record }));
}

/** Text of a server record; equal for equal contents. */
export function serverContent(content: Omit<ServerRecord, 'seq'>): string {
  return JSON.stringify({ v: VERSION, ...content });
}

export function encodeServer(content: string, seq: number): Uint8Array {
  return encoder.encode(`{"seq":${seq},${content.slice(1)}`);
}

/** Kind and subject of a key; `undefined` for foreign keys. */
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

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && value.length === 24;
}

type Json = Readonly<Record<string, unknown>>;

function parseRecord(bytes: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
