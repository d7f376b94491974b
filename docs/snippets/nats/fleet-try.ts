// The first try of a fleet over NATS, as two processes. docs/snippets/test/fleet-try.nats.ts starts them.

// #region program
// fleet-try.mjs
import { createFleet } from '@x/mcp-fleet';
import { openNatsBus } from '@x/mcp-fleet/nats';

const [node = 'builder', servers = 'nats://127.0.0.1:4222'] = process.argv.slice(2);
const bus = await openNatsBus({ servers, node });
const greeter = {
  name: 'greeter', // others see it as greeter@builder
  listTools: () => [{ name: 'greet', description: 'Greets whoever calls', inputSchema: { type: 'object' } }],
  callTool: async () => ({ content: [{ type: 'text', text: `Hello from ${node}` }] }),
};
const fleet = createFleet({ bus, node, sources: [greeter] });

fleet.events.on('sources-changed', async ({ added }) => {
  for (const source of fleet.sources()) {
    if (source === greeter || !added.includes(source.name)) continue;
    const { content } = await source.callTool('greet', {}, { timeoutMs: 5_000 });
    console.log(source.name, 'answers', content);
  }
});
fleet.events.on('node-state', ({ node, state }) => console.log(node, 'is', state));
await fleet.whenJoined();
console.log(node, 'has joined');

process.once('SIGINT', async () => {
  await fleet.close(); // the others know at once
  await bus.close();
});
// #endregion program
