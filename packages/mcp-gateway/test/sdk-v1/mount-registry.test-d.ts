import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expectTypeOf, test } from 'vitest';
import type { V1McpServer, V1Server } from '../../src/sdk-v1.js';

test('accepts the servers of @modelcontextprotocol/sdk 1.x', () => {
  expectTypeOf<Server>().toExtend<V1Server>();
  expectTypeOf<McpServer>().toExtend<V1McpServer>();
});
