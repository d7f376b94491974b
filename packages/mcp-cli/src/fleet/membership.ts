import { isRecord } from '../is-record.js';

/** Which fleet a daemon belongs to, and how it gets in. Names the files of its secrets and never holds one. */
export interface Membership {
  /** Addresses of the NATS servers, as they were given. */
  readonly servers: readonly string[];
  /** Name of the fleet. */
  readonly fleet: string;
  /** Name of this host in it. */
  readonly host: string;
  readonly login: Login;
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined;
}

/** Who this host is to the NATS server. All paths are absolute. */
export type Login =
  | { readonly kind: 'none' }
  | { readonly kind: 'credentials'; readonly file: string }
  | { readonly kind: 'password'; readonly user: string; readonly file: string }
  | { readonly kind: 'token'; readonly file: string }
  | { readonly kind: 'nkey'; readonly file: string };

/** The membership that `value` tells of; `undefined` for whatever no command of ours would have made. */
export function readMembership(value: unknown): Membership | undefined {
  if (!isRecord(value)) return undefined;
  const { servers, fleet, host, login, tls } = value;
  if (!Array.isArray(servers) || servers.length === 0 || !servers.every(isText)) return undefined;
  if (!isName(fleet) || !isName(host) || !isLogin(login)) return undefined;
  if (tls !== undefined && !(isRecord(tls) && Object.values(tls).every(isText))) return undefined;
  return { servers, fleet, host, login, ...(tls && { tls }) };
}

export function isSameMembership(one: Membership, other: Membership): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** What fleets and their hosts may be called. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

/** The name of this machine, made fit; `undefined` when nothing is left of it. */
export function hostNameFrom(machine: string): string | undefined {
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

function sorted({ servers, fleet, host, login, tls = {} }: Membership): readonly unknown[] {
  return [servers, fleet, host, Object.entries(login).toSorted(), Object.entries(tls).toSorted()];
}
