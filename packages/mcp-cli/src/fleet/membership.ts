import { isRecord } from '@x/internal/json';

/** The fleet of a daemon and its login. Names files of secrets, never a secret. */
export interface Membership {
  /** Addresses of the NATS servers, as given. */
  readonly servers: readonly string[];
  readonly fleet: string;
  readonly node: string;
  readonly login: Login;
  /** JetStream domain of the fleet's keys. Default: that of the servers. */
  readonly domain?: string | undefined;
  /** Copies of the fleet's keys in a cluster. Default: 1. The first node to join decides. */
  readonly replicas?: number | undefined;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined;
}

/** All paths are absolute. */
export type Login =
  | { readonly kind: 'none' }
  | { readonly kind: 'credentials'; readonly file: string }
  | { readonly kind: 'password'; readonly user: string; readonly file: string }
  | { readonly kind: 'token'; readonly file: string }
  | { readonly kind: 'nkey'; readonly file: string };

/** `undefined` for a value that no command of ours has written. */
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

/** Rule for the names of fleets and nodes. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

export function isReplicas(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 5;
}

/** A machine's name adapted to the rule; `undefined` if nothing remains. */
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
