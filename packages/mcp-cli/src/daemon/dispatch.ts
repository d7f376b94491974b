import type { ReadTool, SearchRequest, ToolArguments, ToolCallResult, ToolProgress } from '@x/mcp-registry';
import type { Control } from '../control/control.js';
import type { DashboardRequest, DashboardVisit } from '../dashboard/lazy-dashboard.js';
import type { JoinOptions, JoinReport } from '../fleet/fleet-member.js';
import { type Membership, readMembership } from '../fleet/membership.js';
import type { FleetSourceCall, FleetSourceItem } from '../fleet/read-sources.js';

/** What a request may use beside its params. */
export interface RequestContext {
  readonly signal: AbortSignal;
  /** Sends an item that belongs to the request. */
  readonly tell: (item: unknown) => void;
  /** Resolves when the other side has taken what it was told, so that a slow one slows what it reads. */
  readonly taken: () => Promise<void>;
  /** Asks whoever sent the request. Rejects with what they refuse with, and as soon as nobody is left to answer. */
  readonly ask: (question: unknown, options: { readonly signal: AbortSignal }) => Promise<unknown>;
}

/** What the daemon does of its own, beside its servers. */
export interface DaemonControl extends Control {
  /** Reads the config again and takes it on, unless it has errors. */
  reload(): Promise<unknown>;
  /** Joins a fleet; see `FleetMember`. */
  joinFleet(membership: Membership, options: JoinOptions): Promise<JoinReport>;
  /** Leaves it. */
  leaveFleet(): Promise<LeaveReport>;
  /** What other hosts offer, and each change of it. Ends at once for a daemon that belongs to no fleet, and with the fleet. */
  fleetSources(options: { readonly signal: AbortSignal }): AsyncIterable<FleetSourceItem>;
  /** Calls a tool of one of those. */
  callSource(
    call: FleetSourceCall,
    options: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: ToolProgress) => void;
      /** Asks whoever the call is made for, if `call.host` says that they answer. */
      readonly ask: RequestContext['ask'];
    },
  ): Promise<ToolCallResult>;
  /** Makes a link to the dashboard, and resolves when it was opened or is too old for that. */
  dashboard(request: DashboardRequest): Promise<DashboardVisit>;
  /** Begins to drain; resolves before that is done. */
  shutDown(): Promise<void>;
}

/** What was left; nothing where there was no fleet. */
export type LeaveReport = Partial<Pick<Membership, 'fleet' | 'host'>>;

type Params = Readonly<Record<string, unknown>>;
type Handler = (control: DaemonControl, params: Params, context: RequestContext) => Promise<unknown>;

/** Every request that the daemon takes, by its name. */
export const handlers = {
  status: (control, _params, { signal }) => control.status({ signal }),
  start: (control, params, { signal, tell }) => control.start(names(params), { signal, onStep: tell }),
  stop: (control, params, { signal }) => control.stop(names(params), { signal }),
  restart: (control, params, { signal, tell }) => control.restart(names(params), { signal, onStep: tell }),
  health: (control, params, { signal }) => control.health(names(params), { signal }),
  discover: (control, params, { signal, tell }) =>
    control.discover(text(params, 'server'), { signal, onStep: tell, remembered: params.remembered === true }),
  capabilities: (control, params, { signal, tell }) =>
    control.capabilities(text(params, 'server'), { signal, onStep: tell }),
  search: (control, params, { signal }) =>
    control.search(record(params, 'request') as unknown as SearchRequest, {
      role: optionalText(params, 'role'),
      signal,
    }),
  describe: (control, params, { signal }) =>
    control.describe(text(params, 'tool'), { role: optionalText(params, 'role'), signal }),
  call: (control, params, { signal, tell }) =>
    control.call(text(params, 'tool'), record(params, 'args') as ToolArguments, {
      role: optionalText(params, 'role'),
      timeoutMs: optionalNumber(params, 'timeoutMs'),
      onProgress: tell,
      signal,
    }),
  listResources: (control, params, { signal }) =>
    control.listResources(text(params, 'server'), { signal, wake: params.wake !== false }),
  listResourceTemplates: (control, params, { signal }) =>
    control.listResourceTemplates(text(params, 'server'), { signal, wake: params.wake !== false }),
  readResource: (control, params, { signal }) =>
    control.readResource(text(params, 'server'), text(params, 'uri'), { signal }),
  listPrompts: (control, params, { signal }) =>
    control.listPrompts(text(params, 'server'), { signal, wake: params.wake !== false }),
  getPrompt: (control, params, { signal }) =>
    control.getPrompt(
      text(params, 'server'),
      text(params, 'prompt'),
      record(params, 'args') as Readonly<Record<string, string>>,
      { signal },
    ),
  roles: (control, _params, { signal }) => control.roles({ signal }),
  mayUse: (control, params, { signal }) =>
    control.mayUse(text(params, 'role'), { server: text(params, 'server'), tool: text(params, 'tool') }, { signal }),
  explain: (control, params, { signal }) => control.explain(text(params, 'role'), text(params, 'tool'), { signal }),
  pins: (control, params, { signal }) => control.pins({ server: optionalText(params, 'server'), signal }),
  pinDiff: (control, params, { signal }) =>
    control.pinDiff({ server: text(params, 'server'), tool: text(params, 'tool') }, { signal }),
  approvePins: (control, params, { signal }) => control.approvePins(readTools(params), { signal }),
  revokePins: (control, params, { signal }) =>
    control.revokePins({ server: text(params, 'server'), tool: optionalText(params, 'tool') }, { signal }),
  setTrust: (control, params, { signal }) => control.setTrust(text(params, 'mode'), names(params), { signal }),
  requirements: (control, _params, { signal }) => control.requirements({ signal }),
  daemonInfo: (control, _params, { signal }) => control.daemonInfo({ signal }),
  events: (control, _params, context) => tellAll(control.events({ signal: context.signal }), context),
  logs: (control, params, context) => {
    const { signal } = context;
    const server = text(params, 'server');
    const lines = optionalNumber(params, 'lines');
    return tellAll(control.logs({ server, follow: params.follow === true, lines, signal }), context);
  },
  dashboard: (control, params, { signal, tell }) =>
    control.dashboard({ readOnly: params.readOnly === true, signal, onLink: tell }),
  joinFleet: (control, params, { signal }) =>
    control.joinFleet(membership(params), { wait: params.wait !== false, signal }),
  leaveFleet: (control) => control.leaveFleet(),
  fleetSources: (control, _params, context) => tellAll(control.fleetSources({ signal: context.signal }), context),
  callSource: (control, params, { signal, tell, ask }) =>
    control.callSource(sourceCall(params), { signal, onProgress: tell, ask }),
  reload: (control) => control.reload(),
  shutDown: (control) => control.shutDown(),
} as const satisfies Record<string, Handler>;

/** The name of a request. */
export type Method = keyof typeof handlers;

/** @throws {TypeError} There is no such request, or one of its params makes no sense. */
export async function dispatch(
  control: DaemonControl,
  method: string,
  params: Params,
  context: RequestContext,
): Promise<unknown> {
  if (!Object.hasOwn(handlers, method)) throw new TypeError(`The daemon knows no request named "${method}"`);
  const handler: Handler = handlers[method as Method];
  return handler(control, params, context);
}

async function tellAll(items: AsyncIterable<unknown>, { tell, taken }: RequestContext): Promise<void> {
  for await (const item of items) {
    tell(item);
    await taken();
  }
}

function text(params: Params, key: string): string {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw new TypeError(`${key} must be a text`);
}

function optionalText(params: Params, key: string): string | undefined {
  return params[key] === undefined ? undefined : text(params, key);
}

function optionalNumber(params: Params, key: string): number | undefined {
  const value = params[key];
  if (value === undefined || typeof value === 'number') return value;
  throw new TypeError(`${key} must be a number`);
}

function record(params: Params, key: string): Readonly<Record<string, unknown>> {
  const value = params[key] ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  throw new TypeError(`${key} must be an object`);
}

function membership({ membership: value }: Params): Membership {
  const read = readMembership(value);
  if (read !== undefined) return read;
  throw new TypeError('membership must have servers, a fleet, a host and a login');
}

function sourceCall({ inputRequired, ...params }: Params): FleetSourceCall {
  const timeoutMs = optionalNumber(params, 'timeoutMs');
  return {
    source: text(params, 'source'),
    tool: text(params, 'tool'),
    args: record(params, 'args'),
    meta: record(params, 'meta'),
    caller: record(params, 'caller'),
    ...(params.params !== undefined && { params: record(params, 'params') }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(inputRequired === 'return' && { inputRequired }),
    ...(params.host !== undefined && { host: answeringHost(record(params, 'host')) }),
  };
}

function answeringHost(host: Params): NonNullable<FleetSourceCall['host']> {
  return { client: text(host, 'client'), capabilities: record(host, 'capabilities') };
}

function readTools({ tools }: Params): readonly ReadTool[] {
  if (!Array.isArray(tools)) throw new TypeError('tools must be a list');
  return tools.map((tool: Params) => ({
    server: text(tool, 'server'),
    tool: text(tool, 'tool'),
    digest: text(tool, 'digest'),
  }));
}

function names({ servers }: Params): readonly string[] | undefined {
  if (servers === undefined) return undefined;
  if (Array.isArray(servers) && servers.every((name) => typeof name === 'string')) return servers;
  throw new TypeError('servers must be a list of names');
}
