// Sign-ins as a host app writes them against the SDK's interface. Both clients take them as they stand.
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from './sdk.mjs';

/** The document that the suite knows without fetching it. */
export const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';

/** A sign-in without a user, for the scenarios that want one. */
export function machineProvider({ scenario, context }) {
  const { client_id: clientId, client_secret: clientSecret } = context;
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId, clientSecret });
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId,
        privateKey: context.private_key_pem,
        algorithm: context.signing_algorithm ?? 'ES256',
      });
    case 'auth/enterprise-managed-authorization':
      return new CrossAppAccessProvider({ clientId, clientSecret, assertion: (request) => exchange(request, context) });
    case 'auth/wif-jwt-bearer':
      return new WorkloadProvider({ clientId, assertion: context.valid_jwt });
    default:
      return undefined;
  }
}

async function exchange({ authorizationServerUrl, resourceUrl, fetchFn }, context) {
  const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
    tokenEndpoint: context.idp_token_endpoint,
    audience: authorizationServerUrl,
    resource: resourceUrl,
    idToken: context.idp_id_token,
    clientId: context.idp_client_id,
    fetchFn,
  });
  return jwtAuthGrant;
}

/** What every provider keeps. */
class Provider {
  #client;
  #tokens;

  constructor(client) {
    this.#client = client;
  }

  clientInformation() {
    return this.#client;
  }

  saveClientInformation(client) {
    this.#client = client;
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens) {
    this.#tokens = tokens;
  }
}

/** A workload that the platform it runs on has given a token to, which it exchanges for one of the server's (RFC 7523). */
class WorkloadProvider extends Provider {
  redirectUrl = undefined;
  clientMetadata = { redirect_uris: [], token_endpoint_auth_method: 'none' };
  #assertion;

  constructor({ clientId, assertion }) {
    super({ client_id: clientId });
    this.#assertion = assertion;
  }

  prepareTokenRequest() {
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    return new URLSearchParams({ grant_type: grant, assertion: this.#assertion });
  }

  redirectToAuthorization() {
    throw new Error('A workload has no user to ask');
  }

  saveCodeVerifier() {}

  codeVerifier() {
    throw new Error('A workload has no user to ask');
  }
}

/** A sign-in whose user agrees at once: the page redirects with a code, and the redirect is read and not followed. */
export class AgreeingUser extends Provider {
  redirectUrl = 'http://127.0.0.1:3000/callback';
  clientMetadataUrl = clientMetadataUrl;
  clientMetadata = { client_name: 'conformance', redirect_uris: [this.redirectUrl] };
  /** The query that the browser came back with. */
  answer = new URLSearchParams();
  #verifier;
  #answered = () => undefined;

  async redirectToAuthorization(page) {
    const response = await fetch(page, { redirect: 'manual' });
    await response.body?.cancel();
    this.answer = new URL(response.headers.get('location')).searchParams;
    this.#answered(this.answer);
  }

  saveCodeVerifier(verifier) {
    this.#verifier = verifier;
  }

  codeVerifier() {
    return this.#verifier;
  }

  /** For the manager, which waits for the browser before it sends it away. */
  async openCallback() {
    const { promise, resolve } = withResolver();
    this.#answered = resolve;
    return { received: promise, close: async () => undefined };
  }
}

/** The same, with a key that every token is bound to (RFC 9449). */
export class AgreeingUserWithKey extends AgreeingUser {
  #session = DpopSession.create();

  dpop() {
    return this.#session;
  }
}

function withResolver() {
  let resolve;
  const promise = new Promise((onAnswer) => {
    resolve = onAnswer;
  });
  return { promise, resolve };
}
