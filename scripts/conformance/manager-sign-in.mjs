import { createClientCredentialsProvider, createOAuthProvider } from '../../packages/mcp-client-manager/dist/auth.js';
import { AgreeingUserWithKey, clientMetadataUrl, machineProvider } from './providers.mjs';

/** What the manager gets as `auth`: its own sign-ins, and the SDK's plugged in where it has none. */
export async function authFor({ scenario, context, url }) {
  if (scenario === 'auth/client-credentials-basic') {
    const { client_id: clientId, client_secret: clientSecret } = context;
    return createClientCredentialsProvider({ clientId, clientSecret, issuer: await issuerOf(url) });
  }
  const machine = machineProvider({ scenario, context });
  if (machine) return () => machine;
  if (scenario.startsWith('auth/dpop')) {
    const user = new AgreeingUserWithKey();
    return () => user;
  }
  return createOAuthProvider({
    store: memoryStore(),
    openUrl: visit,
    clientName: 'conformance',
    clientMetadataUrl,
    ...(scenario === 'auth/pre-registration' && { client: await registeredClient(context, url) }),
  });
}

/** A browser whose user agrees at once. */
async function visit(page) {
  const response = await fetch(page);
  await response.body?.cancel();
}

async function registeredClient({ client_id: id, client_secret: secret }, url) {
  return { id, secret, issuer: await issuerOf(url) };
}

/** Whoever registered a client knows where; the suite does not say it. */
async function issuerOf(url) {
  const { origin, pathname } = new URL(url);
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const { authorization_servers: issuers } = await response.json();
  return issuers[0];
}

function memoryStore() {
  const values = new Map();
  return {
    read: async (key) => values.get(key),
    write: async (key, value) => void values.set(key, value),
    remove: async (key) => void values.delete(key),
  };
}
