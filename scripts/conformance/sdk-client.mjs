// The client under test: the protocol SDK's own, as a host app without a manager uses it.
import { AgreeingUser, AgreeingUserWithKey, machineProvider } from './providers.mjs';
import { answerForm, context, isModern, scenario, url } from './scenario.mjs';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from './sdk.mjs';
import { play } from './stories.mjs';

const authProvider = machineProvider({ scenario, context }) ?? user();
let transport;
let client;

await signedIn(connect);
await play({
  scenario,
  context,
  host: {
    listTools: async () => (await signedIn(() => client.listTools())).tools,
    callTool: (name, args) => signedIn(() => client.callTool({ name, arguments: args })),
    listResources: async () => (await client.listResources()).resources,
    readResource: (uri) => client.readResource({ uri }),
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: (name) => client.getPrompt({ name }),
  },
});
await client.close();
console.log('done');

async function connect() {
  transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  client = new Client(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } },
      versionNegotiation: { mode: isModern ? 'auto' : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => answerForm(params));
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'yes' },
  }));
  await client.connect(transport);
}

/** Runs `work`, and ends the sign-in when one was begun meanwhile: once to begin with, once more for what was not granted. */
async function signedIn(work) {
  for (let signIns = 0; ; signIns += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || signIns === 2) throw error;
      await transport.finishAuth(authProvider.answer);
    }
  }
}

function user() {
  const known = { client_id: context.client_id, client_secret: context.client_secret };
  if (scenario === 'auth/pre-registration') return new AgreeingUser(known);
  return scenario.startsWith('auth/dpop') ? new AgreeingUserWithKey() : new AgreeingUser();
}
