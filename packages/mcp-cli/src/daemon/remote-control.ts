import type { ToolCallResult, ToolProgress } from '@x/mcp-registry';
import type { Control, ControlEvent, LogLine, ServerOutcome, StatusReport } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import type { DashboardLinkView, DashboardRequest, DashboardVisit } from '../dashboard/lazy-dashboard.js';
import type { JoinOptions, JoinReport } from '../fleet/fleet-member.js';
import type { Membership } from '../fleet/membership.js';
import type { FleetSourceCall, FleetSourceItem } from '../fleet/read-sources.js';
import type { RuleChanges } from '../rule-changes.js';
import type { LeaveReport, Method } from './dispatch.js';
import type { RequestOptions, RpcClient } from './rpc-client.js';
import type { AnswerQuestion } from './rpc-questions.js';

/** Items that may wait before the daemon is made to wait, in number. */
const maxWaitingItems = 500;

/** The servers of a daemon. Disposing of it ends the connections; the daemon and its servers go on. */
export interface RemoteControl extends Control {
  /** Reads the config again; a config with errors is refused, and all stays as it was. */
  reload(options?: { readonly signal?: AbortSignal | undefined }): Promise<ReloadReport>;
  /** Has the daemon join a fleet and remember it. */
  joinFleet(membership: Membership, options?: JoinOptions): Promise<JoinReport>;
  /** Has the daemon leave its fleet, and forget it. */
  leaveFleet(options?: { readonly signal?: AbortSignal | undefined }): Promise<LeaveReport>;
  /** What other hosts of the fleet offer, and each change of it. Ends when the daemon belongs to none. */
  fleetSources(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<FleetSourceItem>;
  /** Calls a tool of one of those. */
  callSource(
    call: FleetSourceCall,
    options?: {
      readonly signal?: AbortSignal | undefined;
      readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
      /** Answers what the server asks, if `call.host` says that somebody does. */
      readonly onQuestion?: AnswerQuestion | undefined;
    },
  ): Promise<ToolCallResult>;
  /** Has the daemon make a link to its dashboard. Resolves when it was opened or is too old for that. */
  dashboard(request: DashboardRequest): Promise<DashboardVisit>;
  /** Asks the daemon to stop every server and to leave. Resolves when it has begun. */
  shutDown(): Promise<void>;
}

/** Names of servers by what became of them, and what else is different. */
export interface ReloadReport extends RuleChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly updated: readonly string[];
  readonly restarted: readonly string[];
  readonly kept: readonly string[];
}

/**
 * @param first - The connection for requests.
 * @param connect - Opens another one: each stream has its own, so that a slow reader of one delays nothing else.
 */
export function createRemoteControl(
  first: RpcClient,
  connect: (options: { signal?: AbortSignal | undefined }) => Promise<RpcClient>,
): RemoteControl {
  const ask = async <Result>(method: Method, params: object, options: RequestOptions = {}): Promise<Result> =>
    (await first.request(method, params, options)) as Result;
  const onItem = <Item>(listener: ((item: Item) => void) | undefined): RequestOptions['onItem'] =>
    listener && ((item) => listener(item as Item));

  return {
    status: ({ signal } = {}) => ask<StatusReport>('status', {}, { signal }),
    start: (servers, { signal, onStep } = {}) =>
      ask<readonly ServerOutcome[]>('start', { servers }, { signal, onItem: onItem(onStep) }),
    stop: (servers, { signal } = {}) => ask('stop', { servers }, { signal }),
    restart: (servers, { signal, onStep } = {}) => ask('restart', { servers }, { signal, onItem: onItem(onStep) }),
    health: (servers, { signal } = {}) => ask('health', { servers }, { signal }),
    discover: (server, { signal, onStep, remembered } = {}) =>
      ask('discover', { server, remembered }, { signal, onItem: onItem(onStep) }),
    capabilities: (server, { signal, onStep } = {}) =>
      ask('capabilities', { server }, { signal, onItem: onItem(onStep) }),
    search: (request, { role, signal } = {}) => ask('search', { request, role }, { signal }),
    describe: (tool, { role, signal } = {}) => ask('describe', { tool, role }, { signal }),
    call: (tool, args, { role, timeoutMs, onProgress, signal } = {}) =>
      ask(
        'call',
        { tool, args, role, timeoutMs },
        { signal, onItem: onItem(onProgress), lost: (end) => outcomeUnknown(end, tool) },
      ),
    listResources: (server, { signal, wake } = {}) => ask('listResources', { server, wake }, { signal }),
    listResourceTemplates: (server, { signal, wake } = {}) =>
      ask('listResourceTemplates', { server, wake }, { signal }),
    readResource: (server, uri, { signal } = {}) => ask('readResource', { server, uri }, { signal }),
    listPrompts: (server, { signal, wake } = {}) => ask('listPrompts', { server, wake }, { signal }),
    getPrompt: (server, prompt, args, { signal } = {}) => ask('getPrompt', { server, prompt, args }, { signal }),
    roles: ({ signal } = {}) => ask('roles', {}, { signal }),
    mayUse: (role, { server, tool }, { signal } = {}) => ask('mayUse', { role, server, tool }, { signal }),
    explain: (role, tool, { signal } = {}) => ask('explain', { role, tool }, { signal }),
    pins: ({ server, signal } = {}) => ask('pins', { server }, { signal }),
    pinDiff: ({ server, tool }, { signal } = {}) => ask('pinDiff', { server, tool }, { signal }),
    approvePins: async (tools, { signal } = {}) => {
      await ask('approvePins', { tools }, { signal });
    },
    revokePins: async ({ server, tool }, { signal } = {}) => {
      await ask('revokePins', { server, tool }, { signal });
    },
    setTrust: async (mode, servers, { signal } = {}) => {
      await ask('setTrust', { mode, servers }, { signal });
    },
    requirements: ({ signal } = {}) => ask('requirements', {}, { signal }),
    logs: ({ server, follow, lines, signal }) => readItems<LogLine>(connect, 'logs', { server, follow, lines }, signal),
    events: ({ signal } = {}) => readItems<ControlEvent>(connect, 'events', {}, signal),
    daemonInfo: ({ signal } = {}) => ask('daemonInfo', {}, { signal }),
    dashboard: ({ readOnly, signal, onLink }) =>
      ask('dashboard', { readOnly }, { signal, onItem: onItem<DashboardLinkView>(onLink) }),
    joinFleet: (membership, { wait, signal } = {}) => ask('joinFleet', { membership, wait }, { signal }),
    leaveFleet: ({ signal } = {}) => ask('leaveFleet', {}, { signal }),
    fleetSources: ({ signal } = {}) => readItems<FleetSourceItem>(connect, 'fleetSources', {}, signal),
    callSource: (call, { signal, onProgress, onQuestion } = {}) =>
      ask('callSource', call, {
        signal,
        onItem: onItem(onProgress),
        onQuestion,
        lost: (end) => outcomeUnknown(end, call.tool),
      }),
    reload: ({ signal } = {}) => ask('reload', {}, { signal }),
    shutDown: async () => {
      await ask('shutDown', {});
    },
    [Symbol.asyncDispose]: async () => first.close(),
  };
}

/** A tool may have had its effect, so this is the one request that must not simply be made again. */
function outcomeUnknown(end: ControlError, tool: string): ControlError {
  return new ControlError(
    'outcome-unknown',
    `The connection with the daemon ended while it called "${tool}": the call may or may not have had its effect.`,
    { hint: 'Look whether it had before you call it again.', cause: end },
  );
}

async function* readItems<Item>(
  connect: (options: { signal?: AbortSignal | undefined }) => Promise<RpcClient>,
  method: Method,
  params: object,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  const rpc = await connect({ signal });
  const waiting: Item[] = [];
  let wake: () => void = () => undefined;
  let end: { readonly error?: unknown } | undefined;
  const settled = (outcome: { readonly error?: unknown }): void => {
    end = outcome;
    wake();
  };
  const onItem = (item: unknown): void => {
    waiting.push(item as Item);
    if (waiting.length >= maxWaitingItems) rpc.pause();
    wake();
  };
  try {
    rpc.request(method, params, { signal, onItem }).then(
      () => settled({}),
      (error: unknown) => settled({ error }),
    );
    for (;;) {
      const item = waiting.shift();
      if (item !== undefined) {
        if (waiting.length === 0) rpc.resume();
        yield item;
      } else if (end) {
        if ('error' in end) throw end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    rpc.close();
  }
}
