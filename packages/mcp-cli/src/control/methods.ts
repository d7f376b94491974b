import type {
  GetPromptResult,
  ManagedListing,
  ReadResourceResult,
  ServerPrompt,
  ServerResource,
  ServerResourceTemplate,
} from '@x/mcp-client-manager';
import type { RequirementReport } from '@x/mcp-config-schema';
import type { SourceCallOptions } from '@x/mcp-fleet';
import type { SearchRequest, ToolCallResult, ToolDescription, ToolProgress } from '@x/mcp-registry';
import type { RoleExplanation } from '@x/mcp-registry/roles';
import type { SourceToolResult } from '@x/mcp-registry/sources';
import type {
  ActionResult,
  CallView,
  ConfigFilesView,
  FieldChanges,
  PageKey,
  RecordedCallView,
  ServerEditPlan,
  ServerEditView,
  ServerHistoryEntry,
  UsageReport,
  UsageSpan,
} from '../dashboard/page-messages.js';
import { readMembership } from '../fleet/membership.js';
import type { ServeOptions } from '../serving/serve-options.js';
import { flag, kind, listOf, number, object, optional, type Params, record, recordOf, text } from './params.js';
import type {
  AccessReport,
  ApprovalReport,
  CapabilitiesReport,
  CompletionReference,
  CompletionReport,
  ControlEvent,
  DaemonInfo,
  DashboardLink,
  DashboardVisit,
  DiscoveryReport,
  FleetSourceItem,
  JoinReport,
  LeaveReport,
  LogLine,
  ModelSearchReport,
  PinReport,
  ReloadReport,
  RoleReport,
  SearchReport,
  ServerOutcome,
  ServingEnd,
  ServingOutput,
  StartStep,
  StatusReport,
  ToolOwnerReport,
} from './reports.js';

/** One kind of request. The types of `Control`, its stub and its dispatcher derive from these rows. */
export interface Method {
  /** Default: none. */
  readonly params?: Params;
  /** Default: none. */
  readonly result?: Type<unknown>;
  /** Items of a request that streams them in place of a result. */
  readonly streams?: Type<unknown>;
  /** Options that receive items before the result. */
  readonly listeners?: Readonly<Record<string, Type<unknown>>>;
  /** Accepts the option `onServerRequest`. */
  readonly forwardsRequests?: true;
  /** The parameter that names a tool with effects: after a lost connection the outcome is unknown. */
  readonly calls?: string;
  /** The key that a page of the dashboard needs for the request. Default: no page can send it. */
  readonly page?: PageKey;
  /** Parameters that a page cannot choose, with their values. */
  readonly fixedForPages?: Readonly<Record<string, unknown>>;
}

/** Carries a type but no value. */
export interface Type<Value> {
  readonly of?: Value;
}

const wake = optional(flag);
const servers = optional(listOf(text));
const stepListener = { onStep: type<StartStep>() };

/** Requests to servers of this process or of a daemon. */
export const serverMethods = {
  /** Starts nothing and sends nothing to servers. */
  status: { result: type<StatusReport>() },
  /** Without `servers`: all that start automatically. The failure of one server is its outcome. */
  start: { params: { servers }, listeners: stepListener, result: type<readonly ServerOutcome[]>() },
  /** Without `servers`: all. Calls in progress have 10 s to finish; `force` kills the processes at once. */
  stop: { params: { servers, force: optional(flag) }, result: type<readonly ServerOutcome[]>() },
  /** Without `servers`: all that run. */
  restart: { params: { servers }, listeners: stepListener, result: type<readonly ServerOutcome[]>() },
  /** Sends a health check to each running server. Without `servers`: to all. */
  health: { params: { servers }, result: type<StatusReport>() },
  /**
   * Lists the tools of one server and starts it if necessary. `remembered`: prefers the known list, which needs no
   * start. Default `false`.
   */
  discover: {
    params: { server: text, remembered: optional(flag) },
    listeners: stepListener,
    result: type<DiscoveryReport>(),
  },
  /** The handshake's result of one server. Starts it if necessary. */
  capabilities: { params: { server: text }, listeners: stepListener, result: type<CapabilitiesReport>() },

  /** Searches the known tools, also of stopped servers. `role`: only tools that it may use. */
  search: {
    params: { request: recordOf<SearchRequest>(), role: optional(text) },
    result: type<SearchReport>(),
    page: 'look',
  },
  /**
   * What a model with the role gets for the query, beside a list of all tools. Calls the search tool. `client`: as for
   * `call`.
   */
  modelSearch: {
    params: { query: text, role: optional(text), client: optional(text) },
    result: type<ModelSearchReport>(),
    page: 'look',
    fixedForPages: { client: 'dashboard' },
  },
  /**
   * The servers that may have a tool that the role may use. `tool`: as for `describe`, known or not. Starts nothing.
   */
  toolOwners: { params: { tool: text, role: optional(text) }, result: type<readonly ToolOwnerReport[]>() },
  /**
   * `name`: public name of the only tool that a misspelt name can mean, if it is read-only. `tool`: as for `describe`,
   * and unknown to it. Starts nothing.
   */
  nearTool: { params: { tool: text, role: optional(text) }, result: type<{ readonly name?: string }>() },
  /**
   * `tool`: public name, `server.tool` or `server/tool`.
   *
   * @throws {ControlError} `unknown-tool`.
   */
  describe: { params: { tool: text, role: optional(text) }, result: type<ToolDescription>(), page: 'look' },
  /**
   * Calls a tool by its public name and starts its server, if that may start automatically. Default of `timeoutMs`:
   * 60 000. `approval`: `ask` has the user of the command approve the call, if the role requires it; `yes`
   * approves it. Default: it waits in the daemon; elsewhere it is refused. `client`: its name in audit events. Default: `mcpx`.
   */
  call: {
    params: {
      tool: text,
      args: record,
      role: optional(text),
      timeoutMs: optional(number),
      approval: optional(kind('"ask" or "yes"', approvalByCommand)),
      client: optional(text),
    },
    listeners: { onProgress: type<ToolProgress>() },
    forwardsRequests: true,
    result: type<ToolCallResult>(),
    calls: 'tool',
    page: 'call',
    fixedForPages: { approval: undefined, client: 'dashboard' }, // a call with a key does not approve itself
  },

  /** The calls that wait for an approval, oldest first. */
  approvals: { result: type<readonly ApprovalReport[]>() },
  /** Lets a waiting call run, or refuses it. `isAnswered`: false if none waits under this id any more. */
  answerApproval: {
    params: {
      id: text,
      isApproved: flag,
      by: kind('"terminal", "command" or "dashboard"', answeredBy),
      reason: optional(text),
    },
    result: type<{ readonly isAnswered: boolean }>(),
  },

  /**
   * Switches the recording of arguments and results on or off, for the calls of all clients. What is recorded stays. Has
   * no effect on servers in this process.
   */
  recordCalls: { params: { isOn: flag } },
  forgetRecordedCalls: {},
  /** The recorded calls with these ids, at most 200. Those that are not kept any more are left out. */
  recordedCalls: {
    params: { ids: listOf(number) },
    result: type<readonly RecordedCallView[]>(),
    page: 'operate',
  },
  /** Ids of the recorded calls whose arguments, result or error contain the text, in any case, or that have this trace. */
  findRecordedCalls: { params: { text }, result: type<readonly number[]>(), page: 'operate' },

  /**
   * `wake`: `true` (default) starts a stopped server, if it may start automatically; `false` returns its last known
   * list, or `completeness: 'unavailable'`.
   */
  listResources: {
    params: { server: text, wake },
    result: type<ManagedListing<ServerResource>>(),
    page: 'look',
    fixedForPages: { wake: false },
  },
  /** `wake`: as for `listResources`. */
  listResourceTemplates: {
    params: { server: text, wake },
    result: type<ManagedListing<ServerResourceTemplate>>(),
    page: 'look',
    fixedForPages: { wake: false },
  },
  readResource: {
    params: { server: text, uri: text },
    forwardsRequests: true,
    result: type<ReadResourceResult>(),
    page: 'call',
  },
  /** `wake`: as for `listResources`. */
  listPrompts: {
    params: { server: text, wake },
    result: type<ManagedListing<ServerPrompt>>(),
    page: 'look',
    fixedForPages: { wake: false },
  },
  getPrompt: {
    params: { server: text, prompt: text, args: optional(recordOf<Readonly<Record<string, string>>>()) },
    forwardsRequests: true,
    result: type<GetPromptResult>(),
    page: 'call',
  },
  /**
   * Values that a server suggests for an argument of a prompt, or for a variable of a template of resources; none if the
   * server completes nothing. `args`: those that are filled in.
   */
  completeArgument: {
    params: {
      server: text,
      ref: recordOf<CompletionReference>(),
      argument: text,
      value: text,
      args: optional(recordOf<Readonly<Record<string, string>>>()),
    },
    result: type<CompletionReport>(),
    page: 'call',
  },

  /** Rules of every role. For operators: names tools that the role itself must not see. */
  roles: { result: type<readonly RoleReport[]>(), page: 'look' },
  /**
   * True if a role may use the tool of that original name, known or not. Rules about annotations refuse nothing here,
   * because annotations may be unknown.
   */
  mayUse: { params: { role: text, server: text, tool: text }, result: type<boolean>() },
  /** `tool`: public name, or `server.tool`. */
  explain: { params: { role: text, tool: text }, result: type<RoleExplanation>(), page: 'look' },

  /**
   * Decisions about the known tools by role, 50 tools from `offset`. `text`: part of a tool's name. `roles`: only these;
   * of two only tools about which they differ. Default: all roles and tools.
   */
  access: {
    params: { text: optional(text), roles: optional(listOf(text)), offset: optional(number) },
    result: type<AccessReport>(),
    page: 'look',
  },

  /** Known tools, trusted or not. For operators: includes tools that are held back. */
  pins: { params: { server: optional(text) }, result: type<PinReport>() },
  /** Difference between the offered and the approved text, safe to print. Empty if there is none. */
  pinDiff: { params: { server: text, tool: text }, result: type<string>() },
  /** @throws {ControlError} `changed-since-read`: the digest of a tool is outdated. Approves nothing then. */
  approvePins: { params: { tools: listOf(object({ server: text, tool: text, digest: text })) } },
  /** Without `tool`: revokes all approvals of the server. */
  revokePins: { params: { server: text, tool: optional(text) } },
  /** `mode`: `all`, `pin-on-first-use` or `approve`. Without `servers`: the mode of servers that have none of their own. */
  setTrust: { params: { mode: text, servers } },

  /** The files of the config as they are now, with their issues and without secrets. `undefined` for servers in this process. */
  configFiles: { result: type<ConfigFilesView | undefined>(), page: 'look' },
  /**
   * Fields of a server that a page may change, with their values in the file that has it.
   *
   * @throws {ControlError} `unknown-server`.
   */
  serverEdit: { params: { server: text }, result: type<ServerEditView>(), page: 'look' },
  /** What an edit of these fields would do to the file and to servers. Writes nothing. `changes`: `null` leaves a field out. */
  planServerEdit: {
    params: { server: text, changes: recordOf<FieldChanges>() },
    result: type<ServerEditPlan>(),
    page: 'operate',
  },
  /** Writes the edit of a plan. Not done if the file is not that of the plan any more. `base`: from the plan. */
  applyServerEdit: {
    params: { server: text, changes: recordOf<FieldChanges>(), base: text },
    result: type<ActionResult>(),
  },
  /** @throws {ControlError} `invalid-request`: it is no edit by `applyServerEdit`, or the file was edited since. */
  planEditUndo: { params: { change: number }, result: type<{ readonly server: string; readonly diff: string }>() },
  /** Takes back an edit by `applyServerEdit`. Throws as `planEditUndo`. */
  undoServerEdit: { params: { change: number }, result: type<ActionResult>() },
  /** Compares the tools' requirements with the servers. Starts nothing: an installed program counts as available. */
  requirements: { result: type<RequirementReport>() },
  /**
   * The last stderr lines and log messages of a server across restarts, oldest first, at most 64 KiB. While there are
   * none: the end of its log file. `follow`: continues with new lines. `lines`: limit of old lines.
   */
  logs: {
    params: { server: text, follow: optional(flag), lines: optional(number) },
    streams: type<LogLine>(),
  },
  /**
   * The events of a server since its process of mcpx began, oldest first, at most 100.
   *
   * @throws {ControlError} `unknown-server`.
   */
  serverHistory: { params: { server: text }, result: type<readonly ServerHistoryEntry[]>(), page: 'look' },
  /** The status of every server, then of each server that changes. A slow reader gets only the latest. */
  events: { streams: type<ControlEvent>() },
  /** Calls by server, tool, client and role. `undefined` for servers in this process, which count none. */
  usage: {
    params: { span: kind('"5m", "1h" or "24h"', usageSpan) },
    result: type<UsageReport | undefined>(),
    page: 'look',
  },
  /** `undefined` for servers in this process. */
  daemonInfo: { result: type<DaemonInfo | undefined>() },
} satisfies Readonly<Record<string, Method>>;

/** Requests that only a daemon handles. */
export const daemonMethods = {
  /** The latest calls, oldest first, at most 200. */
  calls: { result: type<readonly CallView[]>() },
  /**
   * Applies the config as it is now. A config with errors changes nothing. The result also has the edits that were
   * applied since the last request. `trust`: gives consent to all its launches for the life of the daemon. Default
   * `false`.
   */
  reload: { params: { trust: optional(flag) }, result: type<ReloadReport>() },
  /**
   * Gives consent to the current launches of these servers for the life of the daemon. A changed launch needs new
   * consent. Without `servers`: to all.
   */
  trust: { params: { servers } },
  /** Joins a fleet and stores the membership. `wait`: `false` joins in the background. Default `true`. */
  joinFleet: {
    params: {
      membership: kind('an object with "servers", "fleet", "node" and "login"', readMembership),
      wait: optional(flag),
    },
    result: type<JoinReport>(),
  },
  /** Leaves the fleet and deletes the membership. */
  leaveFleet: { result: type<LeaveReport>() },
  /** Sources that other nodes of the fleet offer, and each change. Ends when the daemon belongs to no fleet. */
  fleetSources: { streams: type<FleetSourceItem>() },
  /** `host`: the client that handles requests of the server. */
  callSource: {
    params: {
      source: text,
      tool: text,
      args: record,
      timeoutMs: optional(number),
      meta: optional(record),
      params: optional(record),
      inputRequired: optional(kind('"answer" or "return"', inputRequired)),
      caller: optional(recordOf<NonNullable<SourceCallOptions['caller']>>()),
      host: optional(object({ client: text, capabilities: record })),
    },
    listeners: { onProgress: type<ToolProgress>() },
    forwardsRequests: true,
    result: type<SourceToolResult>(),
    calls: 'tool',
  },
  /**
   * Serves one client over a stream, or many over HTTP, as `mcpx serve` does, until the client, the request or the
   * daemon ends, or a signal does. `cwd` and `env` are those of the command.
   */
  serve: {
    params: { options: recordOf<ServeOptions>(), cwd: text, env: recordOf<Readonly<Record<string, string>>>() },
    listeners: { onOutput: type<ServingOutput>() },
    result: type<ServingEnd>(),
  },
  /** `interrupt`: the serving ends as after SIGTERM. `hangup`: it reads its files again. */
  signalServing: { params: { serving: text, action: kind('"interrupt" or "hangup"', servingAction) } },
  /**
   * Creates a link to the dashboard. Resolves when it was opened or has expired. `readOnly`: the page cannot change
   * or call anything. `noCalls`: it cannot call tools. `recordCalls`: as `recordCalls({ isOn: true })`.
   */
  dashboard: {
    params: { readOnly: optional(flag), noCalls: optional(flag), recordCalls: optional(flag) },
    listeners: { onLink: type<DashboardLink>() },
    result: type<DashboardVisit>(),
  },
  /**
   * Asks the user of the command what servers ask during calls of clients that cannot answer, and about calls that wait
   * for an approval. Lasts until the request or the daemon ends.
   */
  attend: { forwardsRequests: true },
  /** Ends the daemon after that many milliseconds without use. Default: never. */
  setIdleExit: { params: { idleExitMs: optional(number) } },
  /** Begins to stop every server and the daemon. Resolves before that is done. */
  shutDown: {},
} satisfies Readonly<Record<string, Method>>;

export const methods = { ...serverMethods, ...daemonMethods };

function type<Value>(): Type<Value> {
  return {};
}

function approvalByCommand(value: unknown): 'ask' | 'yes' | undefined {
  return value === 'ask' || value === 'yes' ? value : undefined;
}

function answeredBy(value: unknown): 'terminal' | 'command' | 'dashboard' | undefined {
  return value === 'terminal' || value === 'command' || value === 'dashboard' ? value : undefined;
}

function inputRequired(value: unknown): 'answer' | 'return' | undefined {
  return value === 'answer' || value === 'return' ? value : undefined;
}

function servingAction(value: unknown): 'interrupt' | 'hangup' | undefined {
  return value === 'interrupt' || value === 'hangup' ? value : undefined;
}

function usageSpan(value: unknown): UsageSpan | undefined {
  return value === '5m' || value === '1h' || value === '24h' ? value : undefined;
}
