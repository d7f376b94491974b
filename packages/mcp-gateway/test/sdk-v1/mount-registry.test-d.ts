import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { McpServer as SecondMcpServer, Server as SecondServer } from '@modelcontextprotocol/server';
import { expectTypeOf, test } from 'vitest';
import type { V1McpServer, V1Server } from '../../src/sdk-v1.js';

test('accepts the servers of @modelcontextprotocol/sdk 1.x', () => {
  expectTypeOf<Server>().toExtend<V1Server>();
  expectTypeOf<McpServer>().toExtend<V1McpServer>();
});

test('refuses the servers of @modelcontextprotocol/server 2.x', () => {
  expectTypeOf<SecondServer>().not.toExtend<V1Server>();
  expectTypeOf<SecondMcpServer>().not.toExtend<V1McpServer>();
});
