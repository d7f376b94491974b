import { isSpecType, type ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';
import type { ClientRequest, Fields } from '../server/methods/client-request.js';
import type { ClientServer, MethodRow, MethodTable } from '../server/methods/client-server.js';
import { callFault, cursorFault, promptFault, uriFault } from '../server/methods/protocol-methods.js';
import type { ClientParts } from './client-services.js';
import { OtherRequests } from './forwarding/forwarded-requests.js';
import type { ClientWishes, WishOptions } from './gateway-clients.js';
import { isLogLevel } from './log-levels.js';
import type { PartKind } from './resources-and-prompts/part-kinds.js';
import { type CompletionParams, PartRequests } from './resources-and-prompts/part-requests.js';
import { TASKS_EXTENSION, withTaskSupport } from './tasks/task-messages.js';
import { type ToolCallParams, ToolCalls } from './tools/tool-calls.js';
import { answerTools } from './tools/tool-list.js';
import type { LogLevel } from './upstream.js';

export interface GatewayHandlers extends ClientServer {
  readonly parts: ClientParts;
  /** Absent for a server of one request. */
  readonly wishes: ClientWishes | undefined;
  wishOptions(request: ClientRequest): WishOptions;
}

type Row = MethodRow<GatewayHandlers>;

const hasResources = ({ resources }: ServerCapabilities) => resources !== undefined;
const hasPrompts = ({ prompts }: ServerCapabilities) => prompts !== undefined;
/** An extension since revision 2026-07-28, part of the protocol before. */
const hasTasks = ({ extensions, tasks }: ServerCapabilities) =>
  extensions?.[TASKS_EXTENSION] !== undefined || isRecord(tasks);

export const gatewayMethods: MethodTable<GatewayHandlers> = {
  'tools/list': { isCacheable: true, fault: cursorFault, answer: listTools },
  'tools/call': {
    fault: callFault,
    asksForInput: true,
    answer: ({ parts }, params, request) => new ToolCalls(parts).call(params as unknown as ToolCallParams, request),
  },
  'resources/list': listOf('resources', hasResources),
  'resources/templates/list': listOf('resourceTemplates', hasResources),
  'resources/read': {
    offered: hasResources,
    fault: uriFault,
    asksForInput: true,
    isCacheable: true,
    answer: ({ parts }, { uri }, request) => new PartRequests(parts).read(String(uri), request),
  },
  'resources/subscribe': { era: 'legacy', offered: hasResources, fault: uriFault, answer: subscribe },
  'resources/unsubscribe': {
    era: 'legacy',
    offered: hasResources,
    fault: uriFault,
    answer: ({ wishes }, { uri }) => {
      wishes?.unsubscribe(String(uri));
      return {};
    },
  },
  'prompts/list': listOf('prompts', hasPrompts),
  'prompts/get': {
    offered: hasPrompts,
    fault: promptFault,
    asksForInput: true,
    answer: ({ parts }, { name, arguments: args }, request) =>
      new PartRequests(parts).prompt({ name: String(name), args: args as Fields | undefined }, request),
  },
  'completion/complete': {
    offered: ({ completions }) => completions !== undefined,
    fault: (params) => (isSpecType.CompleteRequestParams(params) ? undefined : 'they do not fit the protocol'),
    answer: ({ parts }, params, request) =>
      new PartRequests(parts).complete(params as unknown as CompletionParams, request),
  },
  'logging/setLevel': {
    era: 'legacy',
    offered: ({ logging }) => logging !== undefined,
    fault: ({ level }) => (isLogLevel(level) ? undefined : 'level must be one of the levels of syslog'),
    answer: async (server, { level }, request) => {
      await server.wishes?.setLogLevel(level as LogLevel, server.wishOptions(request));
      return {};
    },
  },
  'tasks/get': { offered: hasTasks, answer: askTask },
  'tasks/result': { era: 'legacy', offered: hasTasks, answer: askTask },
  'tasks/list': { era: 'legacy', offered: ({ tasks }) => isRecord(tasks?.list), answer: askTask },
  'tasks/update': { era: 'modern', offered: hasTasks, answer: askTask },
  'tasks/cancel': {
    offered: (capabilities) => hasTasks(capabilities) && (capabilities.tasks ?? { cancel: {} }).cancel !== undefined,
    answer: askTask,
  },
};

export const passOn: Row = {
  isUnknown: true,
  answer: ({ parts }, params, request) => new OtherRequests(parts).passOn(request.method, params, request),
};

function listOf(kind: PartKind, offered: (capabilities: ServerCapabilities) => boolean): Row {
  return {
    offered,
    isCacheable: true,
    fault: cursorFault,
    answer: ({ parts }, { cursor }) => new PartRequests(parts).list(kind, cursor as string | undefined),
  };
}

async function listTools({ parts, capabilities, era }: GatewayHandlers, { cursor }: Fields): Promise<Fields> {
  const { core } = parts;
  const audience = parts.audience();
  core.toolCollisions?.note(audience);
  const page = await answerTools(core, audience, { cursor: cursor as string | undefined, era });
  return withTaskSupport(page, core, { audience, offered: capabilities.tasks });
}

async function subscribe(server: GatewayHandlers, { uri }: Fields, request: ClientRequest): Promise<Fields> {
  return server.parts.answering.run(request, undefined, async () => {
    await server.wishes?.subscribe(String(uri), server.wishOptions(request));
    return {};
  });
}

function askTask({ parts }: GatewayHandlers, params: Fields, request: ClientRequest): Promise<Fields> {
  return new OtherRequests(parts).askTask(request.method, params, request);
}
