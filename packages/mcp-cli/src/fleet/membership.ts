import { isRecord } from '@x/internal/json';

/** Which fleet a daemon belongs to, and how it gets in. Names the files of its secrets and never holds one. */
export interface Membership {
  /** Addresses of the NATS servers, as they were given. */
  readonly servers: readonly string[];
  /** Name of the fleet. */
  readonly fleet: string;
  /** Name of this node in it. */
  readonly node: string;
  readonly login: Login;
  /** The JetStream domain that the fleet's keys are in. Left out: that of the servers, which mostly have none. */
  readonly domain?: string | undefined;
  /** Copies of the fleet's keys that a cluster keeps. Left out: 1. Counts for whoever is the first to join. */
  readonly replicas?: number | undefined;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined;
}

/** Who this node is to the NATS server. All paths are absolute. */
export type Login =
  | { readonly kind: 'none' }
  | { readonly kind: 'credentials'; readonly file: string }
  | { readonly kind: 'password'; readonly user: string; readonly file: string }
  | { readonly kind: 'token'; readonly file: string }
  | { readonly kind: 'nkey'; readonly file: string };

/** The membership that `value` tells of; `undefined` for whatever no command of ours would have made. */
export function readMembership(value: unknown): Membership | undefined {
  if (!isRecord(value)) return undefined;
  const { servers, fleet, node, login, domain, replicas, tls } = value;
  if (!Array.isArray(servers) || servers.length === 0 || !servers.every(isText)) return undefined;
  if (!isName(fleet) || !isName(node) || !isLogin(login)) return undefined;
  if (tls !== undefined && !(isRecord(tls) && Object.values(tls).every(isText))) return undefined;
  if (domain !== undefined && !isName(domain)) return undefined;
  if (replicas !== undefined && !isReplicas(replicas)) return undefined;
  return { servers, fleet, node, login, ...(domain && { domain }), ...(replicas && { replicas }), ...(tls && { tls }) };
}

export function isSameMembership(one: Membership, other: Membership): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** What fleets and their nodes may be called. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

/** How many copies a cluster can keep. */
export function isReplicas(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 5;
}

/** The name of this machine, made fit; `undefined` when nothing is left of it. */
export function nodeNameFrom(machine: string): string | undefined {
  const [label = ''] = machine.split('.');
  const name = label
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return name === '' ? undefined : name;
}

function isLogin(value: unknown): value is Login {
  if (!isRecord(value)) return false;
  if (value.kind === 'none') return true;
  if (!isText(value.file)) return false;
  if (value.kind === 'password') return isText(value.user);
  return value.kind === 'credentials' || value.kind === 'token' || value.kind === 'nkey';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function sorted({ servers, fleet, node, login, domain, tls = {} }: Membership): readonly unknown[] {
  return [servers, fleet, node, domain, Object.entries(login).toSorted(), Object.entries(tls).toSorted()];
}
