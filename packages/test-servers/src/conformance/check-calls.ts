import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

type Handler = (request: { readonly params: { readonly name: string } }, context: ServerContext) => unknown;

/**
 * Runs `check` before each tool call. Its errors stay protocol errors; the SDK turns those of tools into results. Call
 * it before the first tool is registered, when the SDK registers its handler.
 */
export function checkCalls({ server }: McpServer, check: (tool: string, context: ServerContext) => void): void {
  const register = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  server.setRequestHandler = (method: string, ...rest: unknown[]) => {
    if (method !== 'tools/call') return register(method, ...rest);
    const [call] = rest as [Handler];
    const checked: Handler = (request, context) => {
      check(request.params.name, context);
      return call(request, context);
    };
    return register(method, checked);
  };
}
