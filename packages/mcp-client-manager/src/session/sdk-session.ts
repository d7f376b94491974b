import { type Client, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';
import { ChannelClosedError } from '../transport/message-channel.js';
import { resultTooLargeCode } from '../transport/oversized-message.js';
import { listTools, type ToolListing } from './list-tools.js';
import {
  type ServerCapabilities,
  type Session,
  type SessionCallOptions,
  type SessionFacts,
  SessionLostError,
  type ToolCallResult,
} from './session.js';

/** Deadlines are ours, and one rule decides them; the SDK's own must never be the first. Longest that a timer takes. */
const noTimeoutMs = 2_147_483_647;

/** A session on a connected SDK client. */
export function sdkSession(
  client: Client,
  { server, onToolsChanged }: { server: string; onToolsChanged: () => void },
): Session {
  const facts = readFacts(client);
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => {
      isOpen = false;
      resolve();
    };
  });
  // Errors out of band (an answer to a call that was given up, say) concern nobody who waits.
  client.onerror = () => undefined;
  watchTools(client, facts, onToolsChanged);
  let callsInFlight = 0;

  return {
    facts,
    get isOpen() {
      return isOpen;
    },
    get callsInFlight() {
      return callsInFlight;
    },
    closed,
    close: () => client.close(),
    listTools: ({ signal }) => listServerTools(client, facts, signal),
    callTool: async (tool, args, options) => {
      callsInFlight += 1;
      try {
        return await callTool(client, { server, tool, args, ...options });
      } finally {
        callsInFlight -= 1;
      }
    },
    checkAlive: ({ signal }) => checkAlive(client, facts, signal),
  };
}

function readFacts(client: Client): SessionFacts {
  const version = client.getServerVersion();
  return {
    era: client.getProtocolEra() === 'modern' ? 'modern' : 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    serverInfo: version && { name: version.name, version: version.version },
    capabilities: (client.getServerCapabilities() ?? {}) as ServerCapabilities,
    instructions: client.getInstructions(),
  };
}

function watchTools(client: Client, { era, capabilities }: SessionFacts, onToolsChanged: () => void): void {
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  if (era !== 'modern' || !capabilities.tools?.listChanged) return;
  // A server that announces the subscription and then refuses it is only one that must be asked again.
  client.listen({ toolsListChanged: true }).catch(() => undefined);
}

async function listServerTools(client: Client, facts: SessionFacts, signal: AbortSignal): Promise<ToolListing> {
  if (!facts.capabilities.tools) return { tools: [], completeness: 'complete', problems: [] };
  const fetchPage = (cursor: string | undefined): Promise<unknown> =>
    client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, asItCame, {
      signal,
      timeout: noTimeoutMs,
    });
  return listTools(fetchPage, { signal });
}

async function callTool(
  client: Client,
  {
    server,
    tool,
    args,
    signal,
    onProgress,
  }: { server: string; tool: string; args: Readonly<Record<string, unknown>> } & SessionCallOptions,
): Promise<ToolCallResult> {
  try {
    return (await client.callTool(
      { name: tool, arguments: { ...args } },
      { signal, timeout: noTimeoutMs, ...(onProgress && { onprogress: onProgress }) },
    )) as ToolCallResult;
  } catch (error) {
    signal.throwIfAborted();
    throw callError(error, { server, tool });
  }
}

function callError(error: unknown, { server, tool }: { server: string; tool: string }): Error {
  if (error instanceof ChannelClosedError || isNotConnected(error)) {
    return new SessionLostError('The connection was closed before the request was sent', { sent: false, cause: error });
  }
  if (isSdkError(error, SdkErrorCode.ConnectionClosed)) {
    return new SessionLostError('The connection was closed after the request was sent', { sent: true, cause: error });
  }
  if (!(error instanceof ProtocolError)) {
    return new ManagerError('server-error', `Server "${server}" answered the call of "${tool}" with no valid result`, {
      server,
      cause: error,
    });
  }
  const rpc = { code: error.code, message: error.message, data: error.data };
  const code = error.code === resultTooLargeCode ? 'result-too-large' : 'server-error';
  const message = `Server "${server}" answered the call of "${tool}" with an error: ${error.message} (${error.code})`;
  return new ManagerError(code, message, { server, rpc, cause: error });
}

async function checkAlive(client: Client, { era }: SessionFacts, signal: AbortSignal): Promise<void> {
  try {
    if (era === 'modern') await client.discover({ signal, timeout: noTimeoutMs });
    else await client.ping({ signal, timeout: noTimeoutMs });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error; // an error answer is an answer: the server lives
  }
}

/** The SDK's answer to a request on a closed client, before anything is sent. It has a code in some places only. */
function isNotConnected(error: unknown): boolean {
  return isSdkError(error, SdkErrorCode.NotConnected) || (error instanceof Error && error.message === 'Not connected');
}

function isSdkError(error: unknown, code: SdkErrorCode): boolean {
  return error instanceof SdkError && error.code === code;
}

/** Takes any result, so that one bad tool does not cost the others: `listTools` looks at each by itself. */
const asItCame = {
  '~standard': { version: 1 as const, vendor: '@x/mcp-client-manager', validate: (value: unknown) => ({ value }) },
};
