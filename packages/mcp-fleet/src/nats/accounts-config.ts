import { checkName, natsNames } from './names.js';
import { MAX_BUCKET_BYTES } from './nats-bucket.js';
import { natsPermissions } from './permissions.js';

/** Who logs in: with a password, which may be given as its bcrypt hash, or with the public NKey, `U…`. */
export type NatsUser =
  | { readonly user: string; readonly password: string; readonly nkey?: undefined }
  | { readonly nkey: string; readonly user?: undefined; readonly password?: undefined };

/** Whose logins go into the configuration. */
export interface NatsAccountsOptions {
  readonly fleet?: string | undefined;
  /** As in `openNatsBus`, for all of these nodes. */
  readonly domain?: string | undefined;
  readonly nodes: readonly ({ readonly node: string } & NatsUser)[];
  /** Somebody who may do anything with the fleet's subjects and bucket. */
  readonly administrator?: NatsUser | undefined;
}

/** A bucket in files is kept by at most five servers of a cluster; NATS counts each copy. */
const MOST_COPIES = 5;
/** A watch is one consumer. NATS keeps those of lost connections for a minute. */
const CONSUMERS_PER_LOGIN = 32;

/**
 * A fragment of a nats-server's configuration: an account of its own for the fleet, in which each node may do what
 * `natsPermissions` says. The limits of the account are one stream of 32 MiB with up to five copies in files or one in
 * memory, and 32 consumers for each login. The server needs a `jetstream` block beside it that offers as much: 160 MiB of
 * files and 32 MiB of memory for each such account.
 *
 * @throws {TypeError} A name or a login makes no sense, or two nodes have the same.
 */
export function natsAccountsConfig({ fleet, domain, nodes, administrator }: NatsAccountsOptions): string {
  checkDistinct(nodes);
  const { fleet: name } = natsNames({ fleet, domain, node: 'any' });
  const users = nodes.map((entry) => {
    const { publish, subscribe } = natsPermissions({ fleet, domain, node: entry.node });
    return [
      '      {',
      `        ${login(entry, `nodes[${entry.node}]`)}`,
      '        permissions: {',
      `          publish: { allow: [\n${list(publish.allow)}          ] }`,
      `          subscribe: { allow: [\n${list(subscribe.allow)}          ] }`,
      '        }',
      '      }',
    ].join('\n');
  });
  if (administrator !== undefined) users.push(`      { ${login(administrator, 'administrator')} }`);
  return [
    'accounts {',
    `  ${quoted(`mcp-fleet_${name}`)}: {`,
    `    jetstream: { ${limits(users.length)} }`,
    '    users: [',
    ...users,
    '    ]',
    '  }',
    '}',
    '',
  ].join('\n');
}

function limits(logins: number): string {
  const storage = `max_mem: ${MAX_BUCKET_BYTES}, max_file: ${MOST_COPIES * MAX_BUCKET_BYTES}`;
  return `${storage}, max_streams: 1, max_consumers: ${CONSUMERS_PER_LOGIN * logins}`;
}

function checkDistinct(nodes: NatsAccountsOptions['nodes']): void {
  const seen = new Set<string>();
  for (const { node, user, nkey } of nodes) {
    checkName('nodes', node);
    for (const one of [`node ${node}`, `login ${user ?? nkey}`]) {
      if (seen.has(one)) throw new TypeError(`nodes must be distinct, and ${one} is there twice`);
      seen.add(one);
    }
  }
}

function login({ user, password, nkey }: NatsUser, option: string): string {
  if (nkey !== undefined) {
    if (!/^U[A-Z2-7]{55}$/.test(nkey)) throw new TypeError(`${option}.nkey must be the public NKey of a user, U…`);
    return `nkey: ${nkey}`;
  }
  for (const [name, text] of Object.entries({ user, password })) {
    // What the configuration's strings cannot hold, or would change.
    if (typeof text !== 'string' || text === '' || /\p{Cc}/u.test(text)) {
      throw new TypeError(`${option}.${name} must be text without control characters, and not empty`);
    }
  }
  return `user: ${quoted(user)}, password: ${quoted(password)}`;
}

function list(subjects: readonly string[]): string {
  return subjects.map((subject) => `            ${quoted(subject)}\n`).join('');
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
