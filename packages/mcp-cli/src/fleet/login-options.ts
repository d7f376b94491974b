import { resolve } from 'node:path';
import { UsageError } from '../command.js';
import { isName, type Login, type Membership, nodeNameFrom } from './membership.js';

/** Login at a NATS server. Secrets come in files. */
export interface FleetLoginOptions {
  readonly creds?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly tokenFile?: string;
  readonly nkeyFile?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** @throws {UsageError} The options contradict each other. */
export function loginFrom({ creds, user, passwordFile, tokenFile, nkeyFile }: FleetLoginOptions, cwd: string): Login {
  if ((user === undefined) !== (passwordFile === undefined)) {
    const missing = user === undefined ? '--user' : '--password-file';
    throw new UsageError(`A login with a password needs --user and --password-file, and ${missing} is missing.`);
  }
  const file = (path: string): string => resolve(cwd, path);
  const logins: readonly (readonly [flag: string, login: Login])[] = [
    ...(creds === undefined ? [] : [['--creds', { kind: 'credentials', file: file(creds) }] as const]),
    ...(user === undefined || passwordFile === undefined
      ? []
      : [['--user', { kind: 'password', user, file: file(passwordFile) }] as const]),
    ...(tokenFile === undefined ? [] : [['--token-file', { kind: 'token', file: file(tokenFile) }] as const]),
    ...(nkeyFile === undefined ? [] : [['--nkey-file', { kind: 'nkey', file: file(nkeyFile) }] as const]),
  ];
  if (logins.length > 1) {
    throw new UsageError(`${logins.map(([flag]) => flag).join(' and ')} are different ways to log in.`, {
      hint: 'Use only one of them.',
    });
  }
  return logins[0]?.[1] ?? { kind: 'none' };
}

/** As `loginFrom`; `undefined` without TLS options. */
export function tlsFrom({ tlsCa, tlsCert, tlsKey }: FleetLoginOptions, cwd: string): Membership['tls'] | undefined {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const missing = tlsCert === undefined ? '--tls-cert' : '--tls-key';
    throw new UsageError(`A certificate of this node needs its key, and ${missing} is missing.`, {
      hint: 'Use --tls-cert FILE and --tls-key FILE.',
    });
  }
  if (tlsCa === undefined && tlsCert === undefined) return undefined;
  const file = (path: string): string => resolve(cwd, path);
  return {
    ...(tlsCa !== undefined && { caFile: file(tlsCa) }),
    ...(tlsCert !== undefined && { certFile: file(tlsCert) }),
    ...(tlsKey !== undefined && { keyFile: file(tlsKey) }),
  };
}

/** @throws {UsageError} The name is invalid for fleets and nodes. */
export function requireName(what: string, name: string): void {
  if (isName(name)) return;
  throw new UsageError(`${what} ${JSON.stringify(name)} must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -.`, {
    hint: `For example: ${what} ${nodeNameFrom(name) ?? 'build-1'}`,
  });
}
