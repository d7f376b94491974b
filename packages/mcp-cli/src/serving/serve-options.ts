import type { NamingMode, Surface } from '@x/mcp-gateway';
import { type CommonOptions, UsageError } from '../command.js';
import type { RateLimit } from './rate-limit.js';

export interface ServeOptions extends CommonOptions, HttpOptions {
  /** Empty: all. */
  readonly servers: readonly string[];
  readonly role?: string;
  readonly mode?: Surface;
  readonly autoAbove?: number;
  readonly code?: boolean;
  readonly instructionsInSearch?: boolean;
  readonly maxInstructionCharacters?: number;
  readonly names?: NamingMode;
  readonly pageSize?: number;
  readonly maxResultTokens?: number;
  readonly limitRole?: readonly RateLimit[];
  readonly limitServer?: readonly RateLimit[];
  /** Patterns of tools. */
  readonly askBefore?: readonly string[];
  /** A file. */
  readonly audit?: string;
  /** In seconds. */
  readonly drain?: number;
  readonly http?: boolean;
  /** Starts servers of its own instead of using the daemon's. Default `false`. */
  readonly ownServers?: boolean;
}

export interface HttpOptions {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly healthPath?: string;
  readonly readyPath?: string;
  readonly allowedHost?: readonly string[];
  readonly allowedOrigin?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tokenFile?: string;
  /** `false` for `--no-token`. */
  readonly token?: boolean;
  readonly tokensFile?: string;
  readonly jwtIssuer?: string;
  readonly jwtAudience?: readonly string[];
  readonly jwksUrl?: string;
  readonly jwtRoleClaim?: string;
  readonly publicUrl?: string;
  readonly unsafeRemoteWithoutToken?: boolean;
  /** A file. */
  readonly metricsTokenFile?: string;
}

export const flagsOfHttp = {
  host: '--host',
  port: '--port',
  path: '--path',
  healthPath: '--health-path',
  readyPath: '--ready-path',
  allowedHost: '--allowed-host',
  allowedOrigin: '--allowed-origin',
  tlsCert: '--tls-cert',
  tlsKey: '--tls-key',
  tokenFile: '--token-file',
  tokensFile: '--tokens-file',
  jwtIssuer: '--jwt-issuer',
  jwtAudience: '--jwt-audience',
  jwksUrl: '--jwks-url',
  jwtRoleClaim: '--jwt-role-claim',
  publicUrl: '--public-url',
  unsafeRemoteWithoutToken: '--unsafe-remote-without-token',
  metricsTokenFile: '--metrics-token-file',
} as const satisfies Record<Exclude<keyof HttpOptions, 'token'>, string>;

/** @throws {UsageError} Options contradict each other. */
export function checkServeOptions(options: ServeOptions): void {
  const { names, mode = 'full', autoAbove, code, instructionsInSearch, http, json, token } = options;
  checkRoleLimits(options);
  if (names !== undefined && names !== 'prefixed' && mode !== 'full') {
    throw new UsageError(
      `--names ${names} cannot be combined with --mode ${mode}, because searches return prefixed names.`,
      {
        hint: 'Omit one of them.',
      },
    );
  }
  if (autoAbove !== undefined && mode !== 'auto') {
    throw new UsageError('--auto-above requires --mode auto.', { hint: 'Add --mode auto.' });
  }
  if (code === true && mode !== 'search') {
    throw new UsageError('--code requires --mode search.', { hint: 'Add --mode search.' });
  }
  if (instructionsInSearch === true && mode === 'full') {
    throw new UsageError('--instructions-in-search requires --mode search or auto.', { hint: 'Add --mode search.' });
  }
  if (http === true) return;
  const forHttp = Object.entries(flagsOfHttp).flatMap(([key, flag]) =>
    options[key as keyof typeof flagsOfHttp] === undefined ? [] : [flag],
  );
  const [flag] = [...forHttp, ...(token === false ? ['--no-token'] : []), ...(json === true ? ['--json'] : [])];
  if (flag !== undefined) {
    throw new UsageError(`${flag} requires --http.`, { hint: `Add --http, or omit ${flag}.` });
  }
}

/** Callers without an identity have the role of `--role`. */
function checkRoleLimits({ role, limitRole = [], tokensFile, jwtIssuer }: ServeOptions): void {
  if (tokensFile !== undefined || jwtIssuer !== undefined) return;
  const dead = limitRole.find(({ name }) => name !== role);
  if (dead === undefined) return;
  throw new UsageError(
    `--limit-role ${dead.name} has no effect: without --role ${dead.name} no client has that role.`,
    {
      hint: 'Add --role, or assign roles to clients with --tokens-file or --jwt-issuer.',
    },
  );
}
