import { UsageError } from '../exit-codes.js';
import { bareAddress, hostInUrl, isEveryAddress, isLoopback, isSecureUrl, loopbackNames } from './bind-address.js';
import type { HttpOptions } from './serve-options.js';

/** Where and to whom to serve, with every default filled in. */
export interface HttpPlan {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly publicUrl: string | undefined;
  readonly access: AccessPlan;
  /** What the user should know of this choice, a sentence each. */
  readonly warnings: readonly string[];
}

/** Who may ask. `token`: whoever has the one token; without a file it is that of the environment, or one that is kept. */
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

/** MCPX on the keypad of a telephone; nobody has registered it, and the Inspector of MCP is at 6274 and 6277. */
export const defaultPort = 6279;

/** @throws {UsageError} Values that cannot be served, or that would serve more than was asked for. */
export function planHttp(options: HttpOptions): HttpPlan {
  const { host = '127.0.0.1', port = defaultPort, path = '/mcp', allowedHost = [], allowedOrigin = [] } = options;
  checkHost(host);
  checkPath(path);
  const access = planAccess(options);
  const isRemote = !isLoopback(host);
  if (isRemote && access.kind === 'open' && options.unsafeRemoteWithoutToken !== true) throw openToAll(host);
  const isNamed = !isRemote || !isEveryAddress(host);
  const tls = planTls(options);
  return {
    host: bareAddress(host),
    port,
    path,
    allowedHosts: [...new Set([...loopbackNames, ...(isNamed ? [hostInUrl(host).toLowerCase()] : []), ...allowedHost])],
    allowedOrigins: allowedOrigin,
    tls,
    publicUrl: planPublicUrl(options, { isPublic: !isRemote || (isNamed && tls !== undefined) }),
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
    throw new UsageError(`${given.join(' and ')} say different things of who may use it.`, {
      hint: 'Choose one of them; --tokens-file and --jwt-issuer go together.',
    });
  }
  if (options.unsafeRemoteWithoutToken === true && token !== false) {
    throw new UsageError('--unsafe-remote-without-token goes with --no-token.', {
      hint: 'With a token it is not needed.',
    });
  }
  if (token === false) return { kind: 'open' };
  return isIdentity ? { kind: 'identity', tokensFile, jwt } : { kind: 'token', file: tokenFile };
}

function planJwt({ jwtIssuer, jwtAudience, jwksUrl, jwtRoleClaim }: HttpOptions): JwtPlan | undefined {
  if (jwtIssuer === undefined) {
    if (jwtAudience === undefined && jwksUrl === undefined && jwtRoleClaim === undefined) return undefined;
    throw new UsageError('Signed tokens need --jwt-issuer: whose they are.', { hint: jwtHint });
  }
  if (jwtAudience === undefined) {
    throw new UsageError('Signed tokens need --jwt-audience: what they have to be made for.', { hint: jwtHint });
  }
  if (jwksUrl === undefined) {
    throw new UsageError("Signed tokens need --jwks-url: where the issuer's keys are.", { hint: jwtHint });
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

/** Told to clients that sign in, as what their tokens have to be for. */
function planPublicUrl(
  { publicUrl, jwtIssuer }: HttpOptions,
  { isPublic }: { readonly isPublic: boolean },
): string | undefined {
  if (publicUrl !== undefined) return checkPublicUrl(publicUrl);
  if (jwtIssuer === undefined || isPublic) return undefined;
  throw new UsageError('Clients that sign in have to be told under which URL they reach it.', {
    hint: 'Such as: --public-url https://tools.example.com/mcp',
  });
}

function planTls({ tlsCert: certFile, tlsKey: keyFile }: HttpOptions): HttpPlan['tls'] {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  const missing = certFile === undefined ? '--tls-cert' : '--tls-key';
  throw new UsageError(`HTTPS needs a certificate and its key, and ${missing} is missing.`, {
    hint: 'Give --tls-cert FILE and --tls-key FILE.',
  });
}

function checkHost(host: string): void {
  if (URL.canParse(`http://${hostInUrl(host)}/`) && host.trim() !== '') return;
  throw new UsageError(`--host ${JSON.stringify(host)} is no address and no name of one.`, {
    hint: 'Such as --host 127.0.0.1, --host :: or --host 0.0.0.0',
  });
}

function checkPath(path: string): void {
  if (path.startsWith('/') && URL.canParse(`http://a${path}`) && new URL(`http://a${path}`).pathname === path) return;
  throw new UsageError(`--path ${path} is no path of a URL.`, { hint: 'Such as --path /mcp' });
}

/** Everybody may read it, and it names one place. */
function checkPublicUrl(text: string): string {
  const { username, password, hash } = new URL(checkSecureUrl(text, '--public-url'));
  if (username === '' && password === '' && hash === '') return text;
  throw new UsageError('--public-url must have no user, no password and no fragment.', {
    hint: 'Such as: --public-url https://tools.example.com/mcp',
  });
}

/** As it was written: an issuer is compared letter by letter. */
function checkSecureUrl(text: string, flag: string): string {
  if (isSecureUrl(text)) return text;
  throw new UsageError(`${flag} ${text} is no https: URL, nor an http: one of this machine.`);
}

function openToAll(host: string): UsageError {
  return new UsageError(`Without a token, ${host} would let every machine that reaches it call every tool.`, {
    hint: [
      'Leave --no-token out: a token is made for you. Or give --token-file, --tokens-file or --jwt-issuer.',
      'To serve this machine alone, leave --host out.',
      'If something in front checks who asks, and nobody gets around it: --unsafe-remote-without-token',
    ].join('\n'),
  });
}

function openWarning(isRemote: boolean): string {
  return isRemote
    ? 'No token is asked for: whoever reaches this address can call every tool that is served.'
    : 'No token is asked for: every program and every user of this machine can call every tool that is served.';
}

const plainWarning =
  'Other machines reach this over plain HTTP, where tokens and answers can be read on the way. Give --tls-cert and --tls-key, or put something in front that has TLS.';
const namesWarning =
  'Requests are answered that come to localhost, 127.0.0.1 or [::1]. Name others with --allowed-host, such as --allowed-host tools.example.com';
