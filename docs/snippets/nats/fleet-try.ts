// The first try of a fleet over NATS, as two processes. docs/snippets/test/fleet-try.nats.ts starts them.

// #region program
// fleet-try.mjs
import { createFleet } from '@x/mcp-fleet';
import { openNatsBus } from '@x/mcp-fleet/nats';

const [host = 'builder', servers = 'nats://127.0.0.1:4222'] = process.argv.slice(2);
const bus = await openNatsBus({ servers, host });
const greeter = {
  name: 'greeter', // others see it as greeter@builder
  listTools: () => [{ name: 'greet', description: 'Greets whoever calls', inputSchema: { type: 'object' } }],
  callTool: async () => ({ content: [{ type: 'text', text: `Hello from ${host}` }] }),
};
const fleet = createFleet({ bus, host, sources: [greeter] });

fleet.events.on('sources-changed', async ({ added }) => {
  for (const source of fleet.sources()) {
    if (source === greeter || !added.includes(source.name)) continue;
    const { content } = await source.callTool('greet', {}, { timeoutMs: 5_000 });
    console.log(source.name, 'answers', content);
  }
});
fleet.events.on('host-state', ({ host, state }) => console.log(host, 'is', state));
await fleet.whenJoined();
console.log(host, 'has joined');

process.once('SIGINT', async () => {
  await fleet.close(); // the others know at once
  await bus.close();
});
// #endregion program
