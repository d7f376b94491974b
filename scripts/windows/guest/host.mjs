// A host app that is killed: starts two servers, one with a child, prints the numbers of their processes and stays.
import { fileURLToPath } from 'node:url';
import { createClientManager } from '@x/mcp-client-manager';

const args = [fileURLToPath(new URL('server.mjs', import.meta.url))];
const guest = { command: process.execPath, args };
const deaf = { ...guest, env: { SERVER_HABIT: 'stays after the end of its input' } };
const manager = createClientManager({ servers: { guest, deaf } });
await manager.start();
const child = Number((await manager.callTool('guest', 'child', {})).content[0].text);
console.log(JSON.stringify([child, ...manager.status().map(({ pid }) => pid)]));
setInterval(() => {}, 1_000);
