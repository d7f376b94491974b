import {
  type CallToolResult,
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { toErrorResult } from '../catalog/native-result.js';
import { isRegistryError } from '../errors.js';
import type { CallToolOptions, ToolArguments, ToolCallResult } from '../source.js';
import type { RegistryView } from '../view.js';
import { watchListing } from './listing-changes.js';
import { toProtocolTool } from './protocol-tool.js';

export interface RegistryServerOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly era: 'legacy' | 'modern';
  readonly onError: ((error: Error) => void) | undefined;
}

/** One connection's protocol server over a view, not connected yet. */
export function createRegistryServer(
  view: RegistryView,
  { name, version, instructions, era, onError }: RegistryServerOptions,
): Server {
  const server = new Server({ name, version }, { capabilities: { tools: { listChanged: true } }, instructions });
  server.setRequestHandler('tools/list', () => ({ tools: view.list().map(toProtocolTool) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const result = await callForClient(view, params.name, params.arguments ?? {}, context);
    return server.projectCallToolResult(result, view.get(params.name)?.outputSchema);
  });
  announceChanges(server, view, era);
  if (onError !== undefined) server.onerror = onError;
  return server;
}

/** Until a client of the earlier revisions has said that it is initialized, it must not be told anything. */
function announceChanges(server: Server, view: RegistryView, era: 'legacy' | 'modern'): void {
  let subscription: Disposable | undefined;
  const subscribe = () => {
    subscription ??= watchListing(view, () => {
      server.sendToolListChanged().catch((error) => server.onerror?.(error));
    });
  };
  if (era === 'modern') subscribe();
  else server.oninitialized = subscribe;
  server.onclose = () => subscription?.[Symbol.dispose]();
}

/**
 * What never was a call of a tool is a protocol error, and a forbidden tool is the same one as an unknown tool.
 * Everything that went wrong with a call is a result that the model sees.
 */
async function callForClient(
  view: RegistryView,
  name: string,
  args: ToolArguments,
  context: ServerContext,
): Promise<CallToolResult> {
  try {
    return toProtocolResult(await view.call(name, args, optionsFrom(context)));
  } catch (error) {
    if (isRegistryError(error) && (error.code === 'unknown-tool' || error.code === 'invalid-arguments')) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    }
    return toProtocolResult(toErrorResult(error));
  }
}

function optionsFrom({ mcpReq }: ServerContext): CallToolOptions {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { signal: mcpReq.signal };
  return {
    signal: mcpReq.signal,
    onProgress: (progress) => {
      const params = { ...progress, progressToken };
      // Fails only when the connection is gone, and with it the one who asked.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

function toProtocolResult(result: ToolCallResult): CallToolResult {
  if (isSpecType.CallToolResult(result)) return { ...result, content: result.content ?? [] };
  return {
    content: [{ type: 'text', text: 'The tool gave a result that the protocol does not allow' }],
    isError: true,
  };
}
