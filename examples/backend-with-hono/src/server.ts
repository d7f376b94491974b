import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { openTools } from '@x/mcp';
import { createApp } from './app.js';

// A real app asks its login; here the token is the name of the role.
const callerOf = (token: string) => (token === 'reader' || token === 'editor' ? { id: token, role: token } : undefined);

// #region server
const tools = await openTools({ config: process.env.BACKEND_CONFIG ?? 'config', watch: true });
const server = createServer(getRequestListener(createApp(tools, callerOf).fetch));
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(`listening on ${portOf(server)}`));

async function stop(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve)); // takes no new connection
  await tools.close({ drainMs: 10_000 }); // calls in progress finish; resolves when the processes are gone
  server.closeIdleConnections();
  await closed;
  console.log('stopped');
}
process.once('SIGTERM', stop);
// #endregion server
process.once('disconnect', stop).channel?.unref(); // Windows has no SIGTERM: there a parent closes its channel

tools.on('change', ({ added, removed }) => console.log(`tools: ${added.length} added, ${removed.length} removed`));
tools.on('config-failed', ({ error }) => console.log(`config: ${error.message}`));
tools.manager.events.on('server-stderr', ({ server, line }) => console.log(`${server}: ${line}`));

function portOf(listening: typeof server): number | undefined {
  const address = listening.address();
  return typeof address === 'object' ? address?.port : undefined;
}
