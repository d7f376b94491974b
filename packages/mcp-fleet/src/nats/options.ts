import { nkeys } from '@nats-io/transport-node';
import { milliseconds, optionTable, refuseUnknownKeys } from '@x/internal/options';
import { type NatsNames, natsNames } from './names.js';

/** Servers, names and login of a bus on NATS. */
export interface NatsBusOptions {
  /** One server or all of a cluster, such as `nats://host:4222`, `tls://host:4222` or `host:4222`. */
  readonly servers: string | readonly string[];
  /** Name of the fleet. Separates fleets on one server. Default `default`. */
  readonly fleet?: string | undefined;
  /**
   * JetStream domain of the fleet's keys. Required on each node behind a leaf node, even one with its own JetStream.
   * Default: that of `servers`.
   */
  readonly domain?: string | undefined;
  /** Name of this node, as in `createFleet` and in the server's permissions. */
  readonly node: string;
  /** Path of a `.creds` file. Read for each connection, so it may be replaced while the bus is open. */
  readonly credentialsFile?: string | undefined;
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Seed of a user's NKey, `SU…`. */
  readonly nkeySeed?: string | undefined;
  /** Default: encrypted if the server offers it. */
  readonly tls?: NatsTlsOptions | undefined;
  /** Storage of a new bucket. Default `file`. */
  readonly storage?: 'file' | 'memory' | undefined;
  /** Copies of a new bucket, one per server of a cluster. Default 1. */
  readonly replicas?: number | undefined;
  /** Timeout of a connection to one server in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Timeout of a request in milliseconds. Default 5000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Interval of pings in milliseconds. A server that misses two counts as gone. Default 5000. */
  readonly pingIntervalMs?: number | undefined;
  /** `false`: without a server, the bus starts disconnected and retries. Default `true`. */
  readonly mustConnect?: boolean | undefined;
  /** Cancels opening. No effect on an open bus. */
  readonly signal?: AbortSignal | undefined;
}

/** TLS settings of the connection. */
export interface NatsTlsOptions {
  /** Path of the CA certificates for the server, in PEM. Default: those of the system. */
  readonly caFile?: string | undefined;
  /** Path of this node's certificate, in PEM, with its key in `keyFile`. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** TLS from the first byte, as a server with `handshake_first` requires. Default `false`. */
  readonly first?: boolean | undefined;
}

const secret = { kind: 'text' } as const;
const wait = { ...milliseconds, default: 5_000 } as const;
const options = optionTable<NatsBusOptions>()({
  servers: { kind: 'other', required: true },
  fleet: { kind: 'other' },
  domain: { kind: 'other' },
  node: { kind: 'other', required: true },
  credentialsFile: secret,
  token: secret,
  user: secret,
  password: secret,
  nkeySeed: { kind: 'other', check: seed },
  tls: { kind: 'object' },
  storage: { kind: 'word', words: ['file', 'memory'], default: 'file' },
  replicas: { kind: 'number', min: 1, max: 5, default: 1 },
  connectTimeoutMs: wait,
  requestTimeoutMs: wait,
  pingIntervalMs: wait,
  mustConnect: { kind: 'flag', default: true },
  signal: { kind: 'signal' },
});

export interface NatsSettings
  extends Omit<ReturnType<(typeof options)['read']>, 'servers' | 'fleet' | 'domain' | 'node' | 'signal'> {
  readonly servers: readonly string[];
  readonly names: NatsNames;
}

/** @throws {TypeError} An option is missing, misspelt or invalid; the message contains no secrets. */
export function resolveNatsOptions(given: NatsBusOptions): NatsSettings {
  const { servers, fleet, domain, node, signal: _, ...settings } = options.read(given);
  const addresses = typeof servers === 'string' ? [servers] : servers;
  checkServers(addresses);
  const { credentialsFile, token, user, password, nkeySeed } = settings;
  checkWaysToLogIn({ credentialsFile, token, user, nkeySeed });
  if (password !== undefined && user === undefined) throw new TypeError('password needs user, which is missing');
  const { tls } = settings;
  if (tls !== undefined) refuseUnknownKeys(tls, ['caFile', 'certFile', 'keyFile', 'first'], { where: 'tls.' });
  if ((tls?.certFile === undefined) !== (tls?.keyFile === undefined)) {
    throw new TypeError('tls.certFile and tls.keyFile must be given together, got one of them');
  }
  const wantsTls = addresses.some((server) => server.startsWith('tls://'));
  return {
    ...settings,
    servers: addresses,
    names: natsNames({ fleet, node, domain }),
    tls: tls ?? (wantsTls ? {} : undefined),
  };
}

function checkServers(servers: unknown): asserts servers is readonly string[] {
  if (!Array.isArray(servers) || servers.length === 0) {
    throw new TypeError('servers must name at least one server, such as nats://127.0.0.1:4222');
  }
  for (const server of servers) {
    const address = typeof server === 'string' ? /^(?:(?:nats|tls):\/\/)?([^/\s]+)\/?$/.exec(server)?.[1] : undefined;
    if (address?.includes('@')) {
      throw new TypeError('servers must be without a user or password; these have options of their own');
    }
    if (address === undefined || !URL.canParse(`nats://${address}`)) {
      throw new TypeError(`servers must be like nats://host:4222, tls://host:4222 or host:4222, got ${show(server)}`);
    }
  }
}

function checkWaysToLogIn(ways: Readonly<Record<string, string | undefined>>): void {
  const given = Object.keys(ways).filter((name) => ways[name] !== undefined);
  if (given.length > 1) throw new TypeError(`${given.join(' and ')} are different ways to log in; give one of them`);
}

function seed(given: unknown): string | undefined {
  try {
    const pair = nkeys.fromSeed(new TextEncoder().encode(String(given)));
    if (pair.getPublicKey().startsWith('U')) return undefined;
  } catch {
    // Omits the cause, which may quote the seed.
  }
  return "the seed of a user's NKey, which begins with SU; got something else";
}

/** Hides addresses that may contain a password. */
function show(server: unknown): string {
  return typeof server === 'string' && !server.includes('@') ? JSON.stringify(server.slice(0, 100)) : 'something else';
}
