// A gateway of ours with one server behind it: `node gateway-process.mjs stdio|http SERVER`, SERVER as JSON. Over HTTP it
// prints where it listens.
import { once } from 'node:events';
import { openGateway } from './own-gateway.mjs';

const [transport, server] = process.argv.slice(2);
const opened = await openGateway([JSON.parse(server)]);
if (transport === 'stdio') {
  await opened.gateway.serve().closed;
} else {
  const http = await opened.serveHttp({ token: process.env.GATEWAY_TOKEN });
  console.log(`listening ${http.url}`);
  await once(process, 'SIGTERM');
  http.server.close();
  http.server.closeAllConnections();
}
await opened.close();
