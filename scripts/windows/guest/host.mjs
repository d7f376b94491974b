// A host app that is killed: starts two servers, one with children, prints the numbers of their processes and stays.
import { fileURLToPath } from 'node:url';
import { createClientManager } from '@x/mcp-client-manager';

const args = [fileURLToPath(new URL('server.mjs', import.meta.url))];
const guest = { command: process.execPath, args };
const deaf = { ...guest, env: { SERVER_HABIT: 'stays after the end of its input' } };
const manager = createClientManager({ servers: { guest, deaf } });
await manager.start();
const children = JSON.parse((await manager.callTool('guest', 'children', {})).content[0].text);
console.log(JSON.stringify([...children, ...manager.status().map(({ pid }) => pid)]));
setInterval(() => {}, 1_000);
