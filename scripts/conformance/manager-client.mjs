// The client under test: the client manager, as a host app uses it.
import { createClientManager } from '../../packages/mcp-client-manager/dist/index.js';
import { authFor } from './manager-sign-in.mjs';
import { answerForm, context, scenario, url } from './scenario.mjs';
import { play } from './stories.mjs';

const manager = createClientManager(
  { servers: [{ name: 'server', url, limits: { startupTimeoutMs: 60_000 } }] },
  {
    clientInfo: { name: 'conformance', version: '1.0.0' },
    handlers: {
      elicitation: answerForm,
      roots: () => ({ roots: [] }),
      sampling: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'yes' } }),
    },
    auth: await authFor({ scenario, context, url }),
  },
);
const server = manager.server('server');

try {
  await play({
    scenario,
    context,
    host: {
      listTools: () => signedIn(() => server.discoverTools()),
      callTool: (name, args) => signedIn(() => server.callTool(name, args)),
      listResources: async () => (await server.listResources()).items,
      readResource: (uri) => server.readResource(uri),
      listPrompts: async () => (await server.listPrompts()).items,
      getPrompt: (name) => server.getPrompt(name),
    },
  });
} finally {
  await manager.close();
}
console.log('done');

/** Runs `work`, and has the user sign in when that is wanted, twice at most: for what there is, and for what was not granted. */
async function signedIn(work) {
  for (let signIns = 0; ; signIns += 1) {
    try {
      if (signIns > 0) await server.authorize();
      return await work();
    } catch (error) {
      if (error.code !== 'auth-required' || signIns === 2) throw error;
    }
  }
}
