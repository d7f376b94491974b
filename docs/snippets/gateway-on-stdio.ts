import assert from 'node:assert/strict';
import { fakeServer } from '@x/mcp-client-manager/testing';
import type { RoleRules } from '@x/mcp-registry';
import { connectHostOfThisProgram } from './stage/host-process.js';

await using git = fakeServer({ tools: [{ name: 'log' }, { name: 'commit' }] });
const roles: RoleRules = [{ role: 'review', allowedTools: ['git.log'] }];
const config = { servers: [{ name: 'git', ...git.stdio() }], roles };
const asked = askAsHost();

// #region serve
import { createClientManager } from '@x/mcp-client-manager';
import { createGateway } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';

const manager = createClientManager(config);
const registry = createRegistry({ roles: config.roles });
for (const server of manager.servers()) registry.attach(server);
await manager.start();

const gateway = createGateway({ registry, upstreams: manager, onProblem: (problem) => console.error(problem.message) });
const serving = gateway.serve({ role: 'review' }); // stdin and stdout
await serving.closed;

await gateway.close(); // connections and handlers; the servers are the manager's
await manager.close();
// #endregion serve

assert.deepEqual(await asked, { tools: ['mcp__git__log', 'search_mcp_tools'], answer: '{"limit":1}' });
assert.equal(git.calls('log').length, 1);

async function askAsHost(): Promise<unknown> {
  const client = await connectHostOfThisProgram();
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: 'mcp__git__log', arguments: { limit: 1 } });
  await client.close();
  return { tools: tools.map(({ name }) => name), answer: (content as { text: string }[])[0]?.text };
}
