import { UsageError } from '../command.js';
import { bareAddress, hostInUrl, isEveryAddress, isLoopback, isSecureUrl, loopbackNames } from './bind-address.js';
import { metadataPaths, metricsPath } from './fixed-paths.js';
import { flagsOfHttp, type HttpOptions } from './serve-options.js';

/** Settings of HTTP serving, with all defaults. */
export interface HttpPlan {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly healthPath: string | undefined;
  readonly readyPath: string | undefined;
  /** In lower case. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly publicUrl: string | undefined;
  readonly access: AccessPlan;
  /** One sentence or more each. */
  readonly warnings: readonly string[];
}

/** `token`: one for all; without a file from the environment or generated. */
export type AccessPlan =
  | { readonly kind: 'open' }
  | { readonly kind: 'token'; readonly file: string | undefined }
  | { readonly kind: 'identity'; readonly tokensFile: string | undefined; readonly jwt: JwtPlan | undefined };

export interface JwtPlan {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly jwksUrl: string;
  readonly roleClaim: string;
}

/** MCPX on a telephone keypad. Unregistered, and no port of MCP Inspector, which uses 6274 and 6277. */
export const defaultPort = 6279;

/** @throws {UsageError} Values that cannot be served, or that would serve more callers than intended. */
export function planHttp(options: HttpOptions): HttpPlan {
  const {
    host = '127.0.0.1',
    port = defaultPort,
    path = '/mcp',
    healthPath,
    readyPath,
    allowedHost = [],
    allowedOrigin = [],
  } = options;
  checkHost(host);
  const access = planAccess(options);
  const isRemote = !isLoopback(host);
  if (isRemote && access.kind === 'open' && options.unsafeRemoteWithoutToken !== true) throw openToAll(host);
  const isNamed = !isRemote || !isEveryAddress(host);
  const tls = planTls(options);
  const names = [...(isNamed ? [hostInUrl(host)] : []), ...allowedHost].map((name) => name.toLowerCase());
  const publicUrl = planPublicUrl(options, { isPublic: !isRemote || (isNamed && tls !== undefined) });
  checkPaths({ path, healthPath, readyPath }, fixedPaths(options, publicUrl));
  return {
    host: bareAddress(host),
    port,
    path,
    healthPath,
    readyPath,
    allowedHosts: [...new Set([...loopbackNames, ...names])],
    allowedOrigins: allowedOrigin,
    tls,
    publicUrl,
    access,
    warnings: [
      ...(access.kind === 'open' ? [openWarning(isRemote)] : []),
      ...(isRemote && tls === undefined ? [plainWarning] : []),
      ...(!isNamed && allowedHost.length === 0 ? [namesWarning] : []),
    ],
  };
}

function planAccess(options: HttpOptions): AccessPlan {
  const { token, tokenFile, tokensFile } = options;
  const jwt = planJwt(options);
  const isIdentity = tokensFile !== undefined || jwt !== undefined;
  const given = [
    ...(token === false ? ['--no-token'] : []),
    ...(tokenFile === undefined ? [] : ['--token-file']),
    ...(isIdentity ? [tokensFile === undefined ? '--jwt-issuer' : '--tokens-file'] : []),
  ];
  if (given.length > 1) {
    throw new UsageError(`${given.join(' and ')} cannot be combined.`, {
      hint: 'Choose one of them. Only --tokens-file and --jwt-issuer can be combined.',
    });
  }
  if (options.unsafeRemoteWithoutToken === true && token !== false) {
    throw new UsageError('--unsafe-remote-without-token requires --no-token.', {
      hint: 'Omit it when clients have a token.',
    });
  }
  if (token === false) return { kind: 'open' };
  return isIdentity ? { kind: 'identity', tokensFile, jwt } : { kind: 'token', file: tokenFile };
}

function planJwt({ jwtIssuer, jwtAudience, jwksUrl, jwtRoleClaim }: HttpOptions): JwtPlan | undefined {
  if (jwtIssuer === undefined) {
    if (jwtAudience === undefined && jwksUrl === undefined && jwtRoleClaim === undefined) return undefined;
    throw new UsageError('Signed tokens require --jwt-issuer.', { hint: jwtHint });
  }
  if (jwtAudience === undefined) {
    throw new UsageError('Signed tokens require --jwt-audience.', { hint: jwtHint });
  }
  if (jwksUrl === undefined) {
    throw new UsageError('Signed tokens require --jwks-url.', { hint: jwtHint });
  }
  return {
    issuer: checkSecureUrl(jwtIssuer, '--jwt-issuer'),
    audience: jwtAudience,
    jwksUrl: checkSecureUrl(jwksUrl, '--jwks-url'),
    roleClaim: jwtRoleClaim ?? 'role',
  };
}

const jwtHint =
  'Such as: --jwt-issuer https://login.example.com --jwks-url https://login.example.com/keys --jwt-audience https://tools.example.com/mcp';

/** The audience of tokens, for clients that sign in. */
function planPublicUrl(
  { publicUrl, jwtIssuer }: HttpOptions,
  { isPublic }: { readonly isPublic: boolean },
): string | undefined {
  if (publicUrl !== undefined) return checkPublicUrl(publicUrl);
  if (jwtIssuer === undefined || isPublic) return undefined;
  throw new UsageError('Signed tokens require --public-url, because clients cannot use this address.', {
    hint: 'Such as: --public-url https://tools.example.com/mcp',
  });
}

function planTls({ tlsCert: certFile, tlsKey: keyFile }: HttpOptions): HttpPlan['tls'] {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  const missing = certFile === undefined ? '--tls-cert' : '--tls-key';
  throw new UsageError(`HTTPS requires a certificate and its key; ${missing} is missing.`, {
    hint: 'Use --tls-cert FILE and --tls-key FILE.',
  });
}

function checkHost(host: string): void {
  if (URL.canParse(`http://${hostInUrl(host)}/`) && host.trim() !== '') return;
  throw new UsageError(`--host ${JSON.stringify(host)} is not a valid address or host name.`, {
    hint: 'Such as --host 127.0.0.1, --host :: or --host 0.0.0.0',
  });
}

const examplePaths = { path: '/mcp', healthPath: '/healthz', readyPath: '/readyz' } as const;
type Paths = Readonly<Record<keyof typeof examplePaths, string | undefined>>;

/** Paths of what is served beside the endpoint, with its name. */
function fixedPaths(
  { path = examplePaths.path, jwtIssuer, metricsTokenFile }: HttpOptions,
  publicUrl: string | undefined,
): ReadonlyMap<string, string> {
  const metadata = jwtIssuer === undefined ? [] : metadataPaths(publicUrl ? new URL(publicUrl).pathname : path);
  const named = metadata.map((each): [string, string] => [each, 'the OAuth metadata']);
  return new Map(metricsTokenFile === undefined ? named : [...named, [metricsPath, 'the metrics']]);
}

function checkPaths(paths: Paths, fixed: ReadonlyMap<string, string>): void {
  const flagsByPath = new Map<string, string>();
  for (const [name, example] of Object.entries(examplePaths)) {
    const [path, flag] = [paths[name as keyof Paths], flagsOfHttp[name as keyof Paths]];
    if (path === undefined) continue;
    if (!path.startsWith('/') || !URL.canParse(`http://a${path}`) || new URL(`http://a${path}`).pathname !== path) {
      throw new UsageError(`${flag} ${path} is not a valid URL path.`, { hint: `Such as ${flag} ${example}` });
    }
    const served = fixed.get(path);
    if (served !== undefined) {
      throw new UsageError(`${flag} ${path} is the path of ${served}.`, { hint: `Such as ${flag} ${example}` });
    }
    const other = flagsByPath.get(path);
    if (other !== undefined) {
      throw new UsageError(`${other} and ${flag} are both ${path}.`, { hint: `Such as ${flag} ${example}` });
    }
    flagsByPath.set(path, flag);
  }
}

function checkPublicUrl(text: string): string {
  const { username, password, hash } = new URL(checkSecureUrl(text, '--public-url'));
  if (username === '' && password === '' && hash === '') return text;
  throw new UsageError('--public-url must have no user, no password and no fragment.', {
    hint: 'Such as: --public-url https://tools.example.com/mcp',
  });
}

/** Returns the text unchanged, because issuers are compared as text. */
function checkSecureUrl(text: string, flag: string): string {
  if (isSecureUrl(text)) return text;
  throw new UsageError(`${flag} ${text} must be an https: URL, or an http: URL of this machine.`);
}

function openToAll(host: string): UsageError {
  return new UsageError(`Without a token, ${host} would let every machine that reaches it call every tool.`, {
    hint: [
      'Omit --no-token to use a generated token, or use --token-file, --tokens-file or --jwt-issuer.',
      'Omit --host to serve only this machine.',
      'If a proxy authenticates every request: --unsafe-remote-without-token',
    ].join('\n'),
  });
}

function openWarning(isRemote: boolean): string {
  return isRemote
    ? 'There is no authentication: every client that reaches this address can call every served tool.'
    : 'There is no authentication: every program and user of this machine can call every served tool.';
}

const plainWarning =
  'Other machines use plain HTTP, so tokens and responses can be intercepted. Use --tls-cert and --tls-key, or a proxy with TLS.';
const namesWarning =
  'Only requests to localhost, 127.0.0.1 or [::1] are accepted. Allow other names with --allowed-host, such as --allowed-host tools.example.com';
