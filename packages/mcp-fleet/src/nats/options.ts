import { nkeys } from '@nats-io/transport-node';
import { longestTimerMs, optionTable } from '@x/internal/options';
import { type NatsNames, natsNames } from './names.js';

/** Where the fleet's bus is, who this node is there, and how it logs in. */
export interface NatsBusOptions {
  /** One server or all of a cluster, as `nats://host:4222`, `tls://host:4222` or `host:4222`. */
  readonly servers: string | readonly string[];
  /** Name of the fleet: fleets of different names share a server without meeting. Default `default`. */
  readonly fleet?: string | undefined;
  /**
   * The JetStream domain in which the fleet's keys are, as the configuration of its servers names it. To be given by each
   * node behind a leaf node, whether or not the leaf node has a JetStream of its own. Left out: that of `servers`.
   */
  readonly domain?: string | undefined;
  /** Name of this node, as `createFleet` is told it, and as the server's permissions have it. */
  readonly node: string;
  /** Path of a `.creds` file. Read anew for each connection, so that it may be replaced while the bus is open. */
  readonly credentialsFile?: string | undefined;
  readonly token?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Seed of a user's NKey, `SU…`. */
  readonly nkeySeed?: string | undefined;
  /** Left out, the connection is encrypted if the server offers it. */
  readonly tls?: NatsTlsOptions | undefined;
  /** Where the server keeps the bucket, if it is made here. Default `file`. */
  readonly storage?: 'file' | 'memory' | undefined;
  /** On how many servers of a cluster the bucket is kept, if it is made here. Default 1. */
  readonly replicas?: number | undefined;
  /** Longest wait for one server to take the connection, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Longest wait for an answer of the server, in milliseconds. Default 5000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * How often a silent server is asked for a sign of life, in milliseconds. One that leaves two questions open counts as
   * gone. Default 5000.
   */
  readonly pingIntervalMs?: number | undefined;
  /**
   * Whether opening fails when no server can be reached. With `false`, the bus begins as disconnected and goes on trying.
   * Default `true`.
   */
  readonly mustConnect?: boolean | undefined;
  /** Gives up opening. Has no effect on a bus that is open. */
  readonly signal?: AbortSignal | undefined;
}

/** How a connection is encrypted, and whose certificate counts. */
export interface NatsTlsOptions {
  /** Path of the certificates that the server's is to be signed with, in PEM. Default: those of the system. */
  readonly caFile?: string | undefined;
  /** Path of this node's own certificate, in PEM, with its key in `keyFile`. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Encrypt from the first byte, as a server with `handshake_first` demands. Default `false`. */
  readonly first?: boolean | undefined;
}

const secret = { kind: 'text' } as const;
const wait = { kind: 'number', of: 'milliseconds', min: 1, max: longestTimerMs, default: 5_000 } as const;
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
  signal: { kind: 'object' },
});

export interface NatsSettings
  extends Omit<ReturnType<(typeof options)['read']>, 'servers' | 'fleet' | 'domain' | 'node' | 'signal'> {
  readonly servers: readonly string[];
  readonly names: NatsNames;
}

/** @throws {TypeError} Names the option that is missing, misspelt or makes no sense, never with a secret in it. */
export function resolveNatsOptions(given: NatsBusOptions): NatsSettings {
  const { servers, fleet, domain, node, signal: _, ...settings } = options.read(given);
  const addresses = typeof servers === 'string' ? [servers] : servers;
  checkServers(addresses);
  const { credentialsFile, token, user, password, nkeySeed } = settings;
  checkWaysToLogIn({ credentialsFile, token, user, nkeySeed });
  if (password !== undefined && user === undefined) throw new TypeError('password needs user, which is missing');
  const { tls } = settings;
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
    // The reason is left out, for it may quote the seed.
  }
  return "the seed of a user's NKey, which begins with SU; got something else";
}

/** An address that may have a password in it is not shown. */
function show(server: unknown): string {
  return typeof server === 'string' && !server.includes('@') ? JSON.stringify(server.slice(0, 100)) : 'something else';
}
