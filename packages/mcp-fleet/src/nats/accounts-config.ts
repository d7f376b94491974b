import { checkName, natsNames } from './names.js';
import { MAX_BUCKET_BYTES } from './nats-bucket.js';
import { natsPermissions } from './permissions.js';

/** Login: user and password (plain or bcrypt), or the public NKey, `U…`. */
export type NatsUser =
  | { readonly user: string; readonly password: string; readonly nkey?: undefined }
  | { readonly nkey: string; readonly user?: undefined; readonly password?: undefined };

/** Options of `natsAccountsConfig`. */
export interface NatsAccountsOptions {
  readonly fleet?: string | undefined;
  /** As in `openNatsBus`, the same for all nodes. */
  readonly domain?: string | undefined;
  readonly nodes: readonly ({ readonly node: string } & NatsUser)[];
  /** Login with all permissions on the fleet's subjects and bucket. */
  readonly administrator?: NatsUser | undefined;
}

/** Copies of a bucket in files: one on each of at most five servers; NATS counts each. */
const MOST_COPIES = 5;
/** One per watch. NATS keeps those of lost connections for a minute. */
const CONSUMERS_PER_LOGIN = 32;

/**
 * Fragment of a nats-server configuration: an account for the fleet with `natsPermissions` per node. Limits: one stream
 * of 32 MiB with up to five copies in files or one in memory, and 32 consumers per login. The server needs a
 * `jetstream` block with at least 160 MiB of files and 32 MiB of memory per account.
 *
 * @throws {TypeError} A name or login is invalid or used twice.
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
      if (seen.has(one)) throw new TypeError(`nodes must be distinct, got ${one} twice`);
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
    // Characters that configuration strings cannot represent.
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
