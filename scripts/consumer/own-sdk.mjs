// An app with a copy of the SDK of its own, beside the one in the manager's build: its providers and errors are understood.
import assert from 'node:assert/strict';
import { ClientCredentialsProvider, UnauthorizedError } from '@modelcontextprotocol/client';
import { createClientManager } from '@x/mcp-client-manager';

const issuer = process.env.ISSUER;

const provider = new ClientCredentialsProvider({ clientId: 'app', clientSecret: 'app-secret', expectedIssuer: issuer });
await startWith(provider, async (manager) => {
  assert.equal((await manager.callTool('web', 'greet', { name: 'Ada' })).content[0].text, 'Hello, Ada');
});

const refuse = async () => {
  throw new UnauthorizedError('There is no other token');
};
await startWith({ token: async () => 'of another server', onUnauthorized: refuse }, async (manager) => {
  assert.equal(manager.status()[0].phase, 'auth-required');
});

async function startWith(source, use) {
  const manager = createClientManager({ servers: { web: { url: `${issuer}/mcp` } } }, { auth: () => source });
  try {
    await manager.start();
    await use(manager);
  } finally {
    await manager.close();
  }
}
