import { LIST } from './own-tools.js';
import { handlersOf, type V1McpServer, type V1Server } from './v1-server.js';

/** Declares tools, and makes an `McpServer` set its own handlers first. */
export function prepareServer(server: V1Server, mcp: V1McpServer | undefined): void {
  if (server.transport !== undefined) return;
  server.registerCapabilities({ tools: { listChanged: true } });
  // An McpServer sets them with its first tool and refuses to replace others, so a later registerTool() would fail.
  if (mcp !== undefined && !handlersOf(server).has(LIST)) {
    mcp.registerTool('mcp-registry-mount', {}, () => ({ content: [] })).remove();
  }
}

export function connectedTooEarly(cause: unknown): TypeError {
  return new TypeError(
    'The server is connected and has not declared tools to its client; mount the registry before connect(), or declare ' +
      '{ capabilities: { tools: {} } } when the server is made',
    { cause },
  );
}
