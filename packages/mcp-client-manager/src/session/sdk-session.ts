import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { callError } from './call-error.js';
import { listTools } from './list-tools.js';
import { ProgressListeners } from './progress-listeners.js';
import type {
  ServerCapabilities,
  Session,
  SessionCallOptions,
  SessionFacts,
  ToolCallResult,
  ToolListing,
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
  const progress = new ProgressListeners(client);
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
        return await callTool(client, { server, tool, args, progress, ...options });
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

interface ToolCall extends SessionCallOptions {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly progress: ProgressListeners;
}

async function callTool(
  client: Client,
  { server, tool, args, signal, onProgress, progress }: ToolCall,
): Promise<ToolCallResult> {
  const listening = onProgress && progress.add(onProgress);
  const meta = listening && { _meta: { progressToken: listening.token } };
  try {
    const params = { name: tool, arguments: { ...args }, ...meta };
    return (await client.callTool(params, { signal, timeout: noTimeoutMs })) as ToolCallResult;
  } catch (error) {
    signal.throwIfAborted();
    throw callError(error, { server, tool });
  } finally {
    listening?.remove();
  }
}

async function checkAlive(client: Client, { era }: SessionFacts, signal: AbortSignal): Promise<void> {
  try {
    if (era === 'modern') await client.discover({ signal, timeout: noTimeoutMs });
    else await client.ping({ signal, timeout: noTimeoutMs });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error; // an error answer is an answer: the server lives
  }
}

/** Takes any result, so that one bad tool does not cost the others: `listTools` looks at each by itself. */
const asItCame = {
  '~standard': { version: 1 as const, vendor: '@x/mcp-client-manager', validate: (value: unknown) => ({ value }) },
};
