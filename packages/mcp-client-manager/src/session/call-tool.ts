import type { Client, Tool } from '@modelcontextprotocol/client';
import { callError } from './call-error.js';
import { noTimeoutMs } from './no-timeout.js';
import type { ProgressListeners } from './progress-listeners.js';
import type { ServerTool, SessionCallOptions, ToolCallResult } from './session.js';

interface ToolCall extends SessionCallOptions {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly progress: ProgressListeners;
  /** Says which arguments have to be repeated as headers. */
  readonly definition: ServerTool;
}

/** Calls a tool in the SDK's way, which sends along the headers that such a tool wants over HTTP. */
export async function callTool(
  client: Client,
  { server, tool, args, signal, onProgress, meta, progress, definition }: ToolCall,
): Promise<ToolCallResult> {
  const listening = onProgress && progress.add(onProgress);
  const token = listening && { progressToken: listening.token };
  const wholeMeta = (meta ?? token) && { _meta: { ...meta, ...token } };
  try {
    const params = { name: tool, arguments: { ...args }, ...wholeMeta };
    // Without its output schema, which is our business.
    const toolDefinition = { name: tool, inputSchema: definition.inputSchema } as Tool;
    return (await client.callTool(params, { signal, timeout: noTimeoutMs, toolDefinition })) as ToolCallResult;
  } catch (error) {
    signal.throwIfAborted();
    throw callError(error, { server, tool });
  } finally {
    listening?.remove();
  }
}
