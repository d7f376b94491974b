import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoopbackServer, serveOnLoopback } from './loopback.js';

export interface OAuthServer extends AsyncDisposable {
  readonly issuer: string;
  /** Requests so far, such as `register`, `authorize`, `token refresh_token`. */
  readonly log: string[];
  /** Scope of every authorization request. */
  readonly askedFor: (string | null)[];
  /** All tokens, codes and verifiers, none of which may leak. */
  readonly secrets: Set<string>;
  /** Status of all further token requests, if set. */
  tokenStatus: number | undefined;
  /** `true`: users refuse. */
  denies: boolean;
  /** A client with a secret, for `client_credentials`. */
  readonly machine: { readonly id: string; readonly secret: string };
  isValid(accessToken: string): boolean;
  /** Ends every access token. */
  expireTokens(): void;
  /** Also ends every refresh token. */
  revokeAll(): void;
  close(): Promise<void>;
}

interface Client {
  readonly redirect_uris: readonly string[];
}

type Answer = readonly [status: number, body: object];

interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

/**
 * OAuth 2.1 authorization server: metadata, dynamic registration, PKCE, single-use refresh tokens, client credentials.
 * Redirects authorization requests back at once.
 */
export async function startOAuthServer(): Promise<OAuthServer> {
  const server = new AuthorizationServer();
  await server.listen();
  return server;
}

class AuthorizationServer implements OAuthServer {
  readonly log: string[] = [];
  readonly askedFor: (string | null)[] = [];
  readonly secrets = new Set<string>();
  readonly machine = { id: 'machine', secret: secret() };
  tokenStatus: number | undefined;
  denies = false;
  readonly #clients = new Map<string, Client>();
  readonly #grants = new Map<string, Grant>();
  readonly #accessTokens = new Set<string>();
  readonly #refreshTokens = new Map<string, string>();
  #http: LoopbackServer | undefined;

  async listen(): Promise<void> {
    this.secrets.add(this.machine.secret);
    this.#http = await serveOnLoopback((request, response) => {
      this.#answer(request, response).then(
        ([status, body]) => json(response, status, body),
        (error: unknown) => json(response, 500, { error: String(error) }),
      );
    });
  }

  get issuer(): string {
    return this.#http?.origin ?? '';
  }

  isValid(accessToken: string): boolean {
    return this.#accessTokens.has(accessToken);
  }

  expireTokens(): void {
    this.#accessTokens.clear();
  }

  revokeAll(): void {
    this.expireTokens();
    this.#refreshTokens.clear();
  }

  async close(): Promise<void> {
    await this.#http?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.issuer);
    const body = await textOf(request);
    switch (`${request.method} ${pathname}`) {
      case 'GET /.well-known/oauth-authorization-server':
        return [200, this.#metadata()];
      case 'POST /register':
        return this.#register(JSON.parse(body));
      case 'GET /authorize':
        return this.#authorize(searchParams, response);
      case 'POST /token':
        return this.#token(new URLSearchParams(body), request);
      case 'POST /revoke':
        this.#refreshTokens.delete(new URLSearchParams(body).get('token') ?? '');
        return [200, {}];
      default:
        return [404, {}];
    }
  }

  #metadata(): object {
    const at = (path: string): string => `${this.issuer}/${path}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      registration_endpoint: at('register'),
      revocation_endpoint: at('revoke'),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #register(client: Client): Answer {
    this.log.push('register');
    const clientId = `client-${this.#clients.size + 1}`;
    this.#clients.set(clientId, client);
    return [201, { ...client, client_id: clientId }];
  }

  #authorize(query: URLSearchParams, response: ServerResponse): Answer {
    this.log.push('authorize');
    this.askedFor.push(query.get('scope'));
    const clientId = query.get('client_id') ?? '';
    const redirectUri = query.get('redirect_uri') ?? '';
    const challenge = query.get('code_challenge') ?? '';
    const isKnown = this.#clients.get(clientId)?.redirect_uris.includes(redirectUri);
    if (!isKnown || challenge === '' || query.get('code_challenge_method') !== 'S256') {
      return [400, { error: 'invalid_request' }];
    }
    const target = new URL(redirectUri);
    target.searchParams.set('state', query.get('state') ?? '');
    target.searchParams.set('iss', this.issuer);
    if (this.denies) target.searchParams.set('error', 'access_denied');
    else target.searchParams.set('code', this.#grant({ clientId, redirectUri, challenge }));
    response.setHeader('location', target.href);
    return [302, {}];
  }

  #grant(grant: Grant): string {
    const code = this.#secret();
    this.#grants.set(code, grant);
    return code;
  }

  #token(form: URLSearchParams, { headers }: IncomingMessage): Answer {
    const grantType = form.get('grant_type') ?? '';
    this.log.push(`token ${grantType}`);
    if (this.tokenStatus !== undefined) return [this.tokenStatus, {}];
    const clientId = form.get('client_id') ?? '';
    if (grantType === 'client_credentials') return this.#machineToken(headers.authorization ?? '');
    if (grantType === 'refresh_token') return this.#refresh(form.get('refresh_token') ?? '', clientId);
    const grant = this.#grants.get(form.get('code') ?? '');
    this.#grants.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    this.secrets.add(verifier);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (
      grant?.clientId !== clientId ||
      grant.challenge !== challenge ||
      grant.redirectUri !== form.get('redirect_uri')
    ) {
      return [400, { error: 'invalid_grant', error_description: `no grant for ${verifier}` }];
    }
    return [200, this.#tokens(clientId)];
  }

  #refresh(token: string, clientId: string): Answer {
    if (this.#refreshTokens.get(token) !== clientId) {
      return [400, { error: 'invalid_grant', error_description: `${token} is not known` }];
    }
    this.#refreshTokens.delete(token);
    return [200, this.#tokens(clientId)];
  }

  #machineToken(authorization: string): Answer {
    const expected = `Basic ${Buffer.from(`${this.machine.id}:${this.machine.secret}`).toString('base64')}`;
    if (authorization !== expected) {
      return [401, { error: 'invalid_client', error_description: `wrong: ${authorization}` }];
    }
    const { refresh_token, ...tokens } = this.#tokens(this.machine.id);
    this.#refreshTokens.delete(refresh_token);
    return [200, tokens];
  }

  #tokens(clientId: string): { access_token: string; refresh_token: string; token_type: string; expires_in: number } {
    const access = this.#secret();
    const refresh = this.#secret();
    this.#accessTokens.add(access);
    this.#refreshTokens.set(refresh, clientId);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3_600 };
  }

  #secret(): string {
    const text = secret();
    this.secrets.add(text);
    return text;
  }
}

function secret(): string {
  return `secret-${randomBytes(12).toString('base64url')}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
