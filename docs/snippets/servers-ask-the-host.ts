import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallHandler, ClientHandlers, ToolCallResult } from '@x/mcp-client-manager';
import { testServer, textOf } from '@x/test-servers';
import { listenToConsole } from './stage/console.js';
import { officialServer, useInstalledServers } from './stage/npx.js';
import { linesShown } from './stage/page.js';

useInstalledServers();
const heard = listenToConsole();

// #region handlers
import { createClientManager } from '@x/mcp-client-manager';

await using manager = createClientManager(
  { servers: [{ name: 'everything', command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] }] },
  {
    handlers: {
      roots: () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
      sampling: () => ({ role: 'assistant', content: { type: 'text', text: 'Indeed' }, model: 'none' }),
      elicitation: () => ({ action: 'decline' }),
    },
  },
);

const { content } = await manager.callTool('everything', 'trigger-sampling-request', {
  prompt: 'Well?',
  maxTokens: 10,
});
for (const block of content) if (block.type === 'text') console.log(block.text);
// #endregion handlers

assert.deepEqual(heard.lines, linesShown('docs/servers-ask-the-host.md', 'text', 'LLM sampling'));
await showForm();
await respondForOneClient();
await respondWithNextCall();
await observeCompletion();

async function showForm(): Promise<void> {
  const askUser = async (question: string, _fields: unknown, _options: { signal: AbortSignal }) => ({ name: question });
  // #region ask-user
  const handlers: ClientHandlers = {
    elicitation: async ({ message, requestedSchema }, { server, signal }) => {
      const answer = await askUser(`${server} wants to know: ${message}`, requestedSchema, { signal });
      return answer ? { action: 'accept', content: answer } : { action: 'decline' };
    },
  };
  // #endregion ask-user
  await using manager = createClientManager({ servers: [{ name: 'desk', ...testServer('asks-host') }] }, { handlers });
  const params = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
  const answer = await manager.callTool('desk', 'ask', { method: 'elicitation/create', params });
  const expected = { result: { action: 'accept', content: { name: 'desk wants to know: Who?' } } };
  assert.deepEqual(jsonOf(answer), expected);
}

async function respondForOneClient(): Promise<void> {
  const asked: string[] = [];
  const config = { servers: [{ name: 'everything', ...officialServer('everything') }] };
  const connection = {
    clientCapabilities: { elicitation: { form: {} } },
    request: async (method: string, _params: object, _options: { signal: AbortSignal }) => {
      asked.push(method);
      return { action: 'decline' };
    },
  };
  // #region call-handler
  await using manager = createClientManager(config, {
    capabilities: { elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
  });

  const handler: CallHandler = {
    client: connection, // identity of the client, compared with ===
    capabilities: connection.clientCapabilities, // capabilities of this client
    answer: ({ method, params }, { signal }) => connection.request(method, params, { signal }),
  };
  await manager.callTool('everything', 'trigger-elicitation-request', {}, { handler });
  // #endregion call-handler
  assert.deepEqual(asked, ['elicitation/create']);
}

async function respondWithNextCall(): Promise<void> {
  const servers = [{ name: 'bookings', ...testServer('modern-input-required') }];
  await using manager = createClientManager({ servers }, { capabilities: { elicitation: { form: {} } } });
  const handler: CallHandler = {
    client: 'one',
    capabilities: { elicitation: { form: {} } },
    answer: () => Promise.reject(new Error('not to be asked')),
  };
  const answersTo = async (requests: unknown) =>
    Object.fromEntries(
      Object.keys(requests as object).map((key) => [key, { action: 'accept', content: { name: 'Ada' } }]),
    );
  // #region rounds
  const server = manager.server('bookings');
  let result = await server.callTool('greet', {}, { handler, inputRequired: 'return' });
  while (result.resultType === 'input_required') {
    const params = { inputResponses: await answersTo(result.inputRequests), requestState: result.requestState };
    result = await server.callTool('greet', {}, { handler, inputRequired: 'return', params });
  }
  // #endregion rounds
  assert.deepEqual(jsonOf(result), { who: { action: 'accept', content: { name: 'Ada' } }, state: 'opaque ✓ state' });
}

async function observeCompletion(): Promise<void> {
  const done: string[] = [];
  const closePage = (server: string, elicitationId: string) => void done.push(`${server} ${elicitationId}`);
  const pages = new McpServer({ name: 'pages', version: '1.0.0' });
  pages.registerTool('finish', {}, async () => {
    await pages.server.notification({ method: 'notifications/elicitation/complete', params: { elicitationId: 'p1' } });
    return { content: [] };
  });
  await using manager = createClientManager(
    { servers: [{ name: 'pages', server: pages }] },
    { capabilities: { elicitation: { url: {} } } },
  );
  // #region completed
  manager.events.on('elicitation-completed', ({ server, elicitationId }) => closePage(server, elicitationId));
  // #endregion completed
  await manager.callTool('pages', 'finish');
  while (done.length === 0) await nextTurn();
  assert.deepEqual(done, ['pages p1']);
}

function jsonOf(result: ToolCallResult): unknown {
  return JSON.parse(textOf(result));
}
