import { expect, test } from 'vitest';
import { type HostServer, isGatewayServer } from '../src/index.js';

const stdio = (command: string, ...args: readonly string[]): HostServer => ({
  name: 's',
  transport: 'stdio',
  command,
  args,
});

test.each<[string, HostServer]>([
  ['the command', stdio('mcpx', 'serve')],
  ['options before it', stdio('mcpx', '--config', '/x', 'serve', '--role', 'review')],
  ['a path', stdio('/usr/local/bin/mcpx', 'serve')],
  ['Windows', stdio('C:\\Users\\ann\\AppData\\Roaming\\npm\\mcpx.cmd', 'serve')],
  ['a launcher', stdio('npx', '-y', '@x/mcp-cli@1.2.3', 'serve')],
  ['a launcher of a launcher', stdio('cmd', '/c', 'npx', 'mcpx', 'serve')],
  ['node', stdio('node', '/srv/node_modules/@x/mcp-cli/dist/bin.js', 'serve')],
  ['a marker', { ...stdio('anything'), env: { MCPX_GATEWAY: '1' } } as HostServer],
  ['a marked url', { name: 's', transport: 'http', url: 'http://127.0.0.1/', headers: { 'x-mcpx-gateway': '1' } }],
])('recognizes the gateway by %s', (_, server) => {
  expect(isGatewayServer(server)).toBe(true);
});

test.each<[string, HostServer]>([
  ['serves something else', stdio('mcp-server', 'serve')],
  ['merely mentions it', stdio('echo', 'serve', 'mcpx')],
  ['does something else', stdio('mcpx', 'status')],
  ['is called alike', stdio('/srv/mcpx-tools/run', 'serve')],
  ['is remote', { name: 'mcpx', transport: 'http', url: 'https://mcpx.example/serve' }],
])('does not take a server that %s for the gateway', (_, server) => {
  expect(isGatewayServer(server)).toBe(false);
});
