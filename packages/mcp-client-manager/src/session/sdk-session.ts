import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  type Transport,
} from '@modelcontextprotocol/client';
import { isManagerError } from '../errors.js';
import { asItIs } from '../redaction.js';
import { isRecord } from '../transport/is-record.js';
import { unlessAborted } from '../unless-aborted.js';
import { within } from '../within.js';
import { isLoss, lostInFlight, requestError } from './call-error.js';
import type { CallLane, CallLaneOptions } from './call-lane.js';
import { readCallParams } from './call-params.js';
import { ChangeStream } from './change-stream.js';
import { isTooDeep, tooDeepError } from './depth-limit.js';
import { Exchange, type ExchangeRequest } from './exchange.js';
import type { HostUnderWay } from './host-under-way.js';
import { type JsonLimits, jsonSize } from './json-size.js';
import { listPages } from './list-pages.js';
import { listTools } from './list-tools.js';
import { modernWay } from './modern-requests.js';
import type { OpenSessionOptions } from './open-session-options.js';
import type { PreparedClient } from './prepared-client.js';
import { type Params, type RawResult, RequestLane } from './request-lane.js';
import { requireCapability } from './required-capability.js';
import { listKinds } from './server-lists.js';
import type { ServerCapabilities, Session, SessionFacts, SessionRequestOptions } from './session.js';
import type { ServerList } from './session-listeners.js';
import { ToolCalls } from './tool-calls.js';
import { UnderWay } from './under-way.js';

/** How long a list waits for the server to watch over it first, in milliseconds, so that it is not asked for twice. */
const watchFirstMs = 250;
/** For each capability that a server declares. */
const capabilityLimits: JsonLimits = { maxBytes: 1_024 * 1_024, maxDepth: 256 };

export interface SdkSessionOptions
  extends Pick<OpenSessionOptions, 'server' | 'listeners' | 'clientInfo' | 'validateOutput' | 'redact'> {
  /** Present where calls of tools have a short way beside the SDK's. */
  readonly openLane?: (options: CallLaneOptions) => CallLane | undefined;
  /** When the last message came by the short way or any other, by `performance.now()`. */
  readonly lastHeardAt?: () => number;
}

/** What is asked of a session, as far as its end and whom it is for are concerned. */
type Attended = Pick<SessionRequestOptions, 'signal' | 'host'>;

/** The same once it is under way. */
interface UnderWayRequest {
  readonly signal: AbortSignal;
  readonly host: HostUnderWay | undefined;
}

/** A session on a connected SDK client. */
export function sdkSession(prepared: PreparedClient, options: SdkSessionOptions): Session {
  const { client, host, notifications, progress } = prepared;
  const { server, listeners, validateOutput, redact = asItIs } = options;
  const facts = readFacts(client);
  const isModern = facts.era === 'modern';
  let logLevel: unknown;
  const envelope = isModern ? modernEnvelope(facts, prepared, options) : undefined;
  const requests = new RequestLane(client.transport as Transport, {
    envelope: () => envelope && { ...envelope, ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }) },
    onRequest: ({ id, method, params }, about) => {
      if (!isModern) host.arrived({ id, method, params, about, hasHostless: hasHostless() });
    },
    onResult: (result, caller) => {
      if (!isModern && result.task !== undefined) host.underWay.tasks.made(result, caller);
    },
    onNotification: (method, params) => {
      if (method === 'notifications/tasks/status') host.underWay.tasks.told(params);
      return notifications.take(method, params);
    },
  });
  const exchange = new Exchange({ server, facts, lane: requests, host, progress });
  const repeatsArguments = isModern && client.transport?.hasPerRequestStream === true; // over Streamable HTTP
  const tools = new ToolCalls({ server, facts, exchange, progress, validateOutput, repeatsArguments, redact });

  let requestsInFlight = 0;
  /** Of those, the ones that are made for nobody in particular and may lead to questions all the same. */
  let hostlessInFlight = 0;
  const hasHostless = (): boolean => hostlessInFlight > 0 || (lane?.hostless ?? 0) > 0;
  const lane = isModern
    ? undefined
    : options.openLane?.({ server, hosts: host.underWay, onCallsInFlight: () => count(0) });
  const count = (change: number): void => {
    requestsInFlight += change;
    listeners.onCallsInFlight(requestsInFlight + (lane?.size ?? 0));
  };
  const underWay = new UnderWay();
  const counted = async <T>(
    how: Attended,
    work: (attended: UnderWayRequest) => Promise<T>,
    mayBeAsked = true,
  ): Promise<T> => {
    count(1);
    const isHostless = mayBeAsked && !how.host;
    if (isHostless) hostlessInFlight += 1;
    const caller = how.host && host.underWay.enter(how.host);
    try {
      return await underWay.during(how.signal, async (signal) => {
        try {
          return await work({ signal, host: caller });
        } finally {
          caller?.leave(signal.aborted ? 'given-up' : 'answered');
        }
      });
    } finally {
      if (isHostless) hostlessInFlight -= 1;
      count(-1);
    }
  };

  const asked = new Set<ServerList>();
  const changes = new ChangeStream({
    client,
    capabilities: facts.capabilities,
    // What changed between the answer to an earlier question and now was not told.
    onWatched: (lists) => {
      for (const list of lists) if (asked.has(list)) notifications.listChanged(list);
    },
  });
  const watching = isModern ? changes.open() : undefined;
  const listed = async (list: ServerList): Promise<void> => {
    if (watching) await within(watchFirstMs, watching);
    asked.add(list);
  };

  const { roots } = host.capabilities;
  const tellsOfRoots = isRecord(roots) && roots.listChanged === true;
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => {
      isOpen = false;
      const reason = lostInFlight();
      requests.close(reason);
      host.close(reason);
      changes.close();
      notifications.close();
      resolve();
    };
  });
  // Errors out of band (an answer to a call that was given up, say) concern nobody who waits.
  client.onerror = () => undefined;

  const request = async (method: string, params: Params, how: ExchangeRequest): Promise<RawResult> => {
    if (method === 'initialize') throw new TypeError('"initialize" is the session\'s own request');
    requireCapability(method, { facts, server });
    const modern = isModern
      ? modernWay(method, params, { changes, discover: checkAlive, setLogLevel, signal: how.signal })
      : undefined;
    if (method === 'tools/call') {
      const { tool, args, meta, others } = readCallParams(params);
      return tools.call(tool, args, { ...how, meta: meta ? { ...meta, ...how.meta } : how.meta, params: others });
    }
    if (!modern) {
      const result = await exchange.send(method, params, how);
      if (!isTooDeep(result)) return result;
      const { code, message } = tooDeepError();
      throw requestError(new ProtocolError(code, message), { server, what: `"${method}"` });
    }
    try {
      return await unlessAborted(how.signal, modern);
    } catch (error) {
      how.signal.throwIfAborted();
      throw requestError(error, { server, what: `"${method}"` });
    }
  };
  const callTool: Session['callTool'] = (tool, args, how) =>
    counted(how, (attended) => tools.call(tool, args, { ...how, ...attended }));
  const setLogLevel = (level: unknown): void => {
    logLevel = level;
  };
  const checkAlive = async (signal: AbortSignal): Promise<void> => {
    try {
      await exchange.send(isModern ? 'server/discover' : 'ping', {}, { signal });
    } catch (error) {
      // An error answer is an answer: the server lives.
      if (!isManagerError(error) || error.rpc === undefined) throw error;
    }
  };
  const fetchPage = (method: string, how: UnderWayRequest) => (cursor: string | undefined) =>
    exchange.send(method, cursor === undefined ? {} : { cursor }, how);

  return {
    facts,
    get isOpen() {
      return isOpen;
    },
    get callsInFlight() {
      return requestsInFlight + (lane?.size ?? 0);
    },
    get lastHeardAt() {
      return Math.max(requests.lastHeardAt, options.lastHeardAt?.() ?? 0);
    },
    get outputProblems() {
      return tools.outputProblems;
    },
    lane: lane && tools.through(lane, callTool),
    closed,
    cancelAll: () => {
      isOpen = false;
      const reason = lostInFlight();
      lane?.cancelAll(reason);
      underWay.giveUpAll(reason);
    },
    close: () => client.close(),
    listTools: async ({ signal }) => {
      if (!facts.capabilities.tools) return { tools: [], completeness: 'complete', problems: [] };
      await listed('tools');
      const listing = await listTools(fetchPage('tools/list', { signal, host: undefined }), {
        signal,
        repeatsArguments,
        redact,
      });
      if (listing.completeness !== 'unavailable') tools.learn(listing.tools);
      return listing;
    },
    callTool,
    request: (method, params, how) =>
      counted(how, (attended) => request(method, params, { ...how, ...attended }), !asksForNothing(method)),
    listAll: (method, how) => {
      const work = async (attended: UnderWayRequest) => {
        const { signal } = attended;
        requireCapability(method, { facts, server });
        await listed(method === 'prompts/list' ? 'prompts' : 'resources');
        return listPages(fetchPage(method, attended), { kind: listKinds[method], signal, isFatal: isLoss, redact });
      };
      return counted(how, work, !asksForNothing(method));
    },
    notify: async (method, params) => {
      if (isOpen) await requests.notify(method, params);
    },
    notifyRootsChanged: async () => {
      if (isModern || !tellsOfRoots || !isOpen) return;
      await requests.notify('notifications/roots/list_changed', {});
    },
    checkAlive: ({ signal }) => checkAlive(signal),
  };
}

/**
 * Whether nobody is asked for anything because of it: lists and health checks are the manager's own as often as not, and what a
 * server asks while it has one is about something else.
 */
function asksForNothing(method: string): boolean {
  return method === 'ping' || method.endsWith('/list');
}

function readFacts(client: Client): SessionFacts {
  const version = client.getServerVersion();
  return {
    era: client.getProtocolEra() === 'modern' ? 'modern' : 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    serverInfo: version && { name: version.name, version: version.version },
    capabilities: withinLimits(client.getServerCapabilities() ?? {}),
    instructions: client.getInstructions(),
  };
}

/** Without capabilities that nobody could write down or compare. */
function withinLimits(capabilities: object): ServerCapabilities {
  const kept = Object.entries(capabilities).filter(
    ([, value]) => typeof jsonSize(value, capabilityLimits) === 'number',
  );
  return Object.fromEntries(kept);
}

function modernEnvelope(
  { protocolVersion }: SessionFacts,
  { host }: PreparedClient,
  { clientInfo }: SdkSessionOptions,
): Params {
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: host.capabilities,
  };
}
