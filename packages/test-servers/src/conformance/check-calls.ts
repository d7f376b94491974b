import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

type Handler = (request: { readonly params: { readonly name: string } }, context: ServerContext) => unknown;

/**
 * Runs `check` on every tool call before the SDK: the SDK turns errors of tools into results, and errors of `check`
 * stay errors. Call it before the first tool is registered, which is when the SDK registers its handler.
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
