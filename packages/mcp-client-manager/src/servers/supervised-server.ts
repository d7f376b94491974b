import type { Emitter } from '@x/internal/events';
import { KnownLists } from '../catalog-cache/known-lists.js';
import { createMemoryStore, type MemoryStore } from '../catalog-cache/memory-store.js';
import type { ChangeFeed } from '../changes.js';
import type { ManagerEvents } from '../events.js';
import { launchFingerprint } from '../launch/launch-fingerprint.js';
import type { ManagerPolicy } from '../options.js';
import type { ProcessOwner } from '../process/process-owner.js';
import { type Redact, redactData } from '../redaction.js';
import type { ServerPolicy } from '../resolve-spec.js';
import { RequestRouter } from '../routing/request-router.js';
import { ResourceSubscriptions } from '../routing/resource-subscriptions.js';
import type { ServerLogEntry } from '../session/session-listeners.js';
import type { MachineSleep } from '../supervisor/health/machine-sleep.js';
import type { ServerState } from '../supervisor/state/server-state.js';
import type { StartSlots } from '../supervisor/state/start-slots.js';
import { Supervisor } from '../supervisor/supervisor.js';
import { CallerConnections, type CloseHow, type Connection } from './caller-connections.js';
import { EraSessions } from './era-sessions.js';
import { type ManagedServer, managedServer } from './managed-server.js';
import { SignIn } from './sign-in.js';

export interface SharedParts {
  readonly policy: ManagerPolicy;
  readonly processes: ProcessOwner;
  readonly slots: StartSlots;
  readonly sleep: MachineSleep;
  readonly memory: MemoryStore;
  readonly hub: Emitter<ManagerEvents>;
  readonly changes: ChangeFeed;
}

export interface SupervisedServer {
  readonly supervisor: Supervisor;
  readonly handle: ManagedServer;
  /** Applies `server` before it returns. Resolves when nothing of the old launch is left. */
  update(server: ServerPolicy): Promise<void>;
  /** Another server has its name. Its state is reported no longer. */
  readonly replaced: () => void;
  close(how: CloseHow): Promise<void>;
}

type OnPhase = (phase: ServerState['phase']) => void;

/** @param options.after - No start before it has resolved. Must not reject. Default: none. */
export function superviseServer(
  server: ServerPolicy,
  { hub, changes, ...parts }: SharedParts,
  { after }: { readonly after?: Promise<unknown> | undefined } = {},
): SupervisedServer {
  const { name } = server;
  const shared = { ...parts, after };
  let isReplaced = false;
  const emit = <Name extends keyof ManagerEvents>(event: Name, payload: ManagerEvents[Name]): void => {
    if (!isReplaced) hub.emit(event, payload);
  };
  const { redact, callTimeoutMs, telemetry } = shared.policy;
  const signIn = new SignIn(shared.policy);
  const onResourceUpdated = (uri: string): void => emit('resource-updated', { server: name, uri });
  const forwarded = forwardedEvents(name, hub, redact);
  const supervisor: Supervisor = new Supervisor(server, {
    ...shared,
    ...forwarded,
    onState: (previous, state) => {
      if (state.phase === 'closed') signIn.close(name);
      changes.record(name);
      emit('server-state', { server: name, previous, state });
      connections.shared.eras.entered(state.phase);
      void subscriptions.renew();
    },
    onHealth: (health, reason) => {
      changes.record(name);
      emit('server-health', { server: name, health, ...(reason !== undefined && { reason }) });
    },
    onCheckPassed: () => emit('check-passed', { server: name }),
    onToolsChanged: (tools) => {
      changes.record(name);
      emit('tools-changed', { server: name, tools });
    },
    onToolsRelisted: () => emit('tools-relisted', { server: name }),
    onListChanged: (list) => emit(`${list}-changed`, { server: name }),
    onResourceUpdated,
  });
  const subscriptions = new ResourceSubscriptions({ supervisor, onResourceUpdated });
  const lists = new KnownLists(shared.memory, () => launchFingerprint(supervisor.server));
  const onToolsChanged = (listener: () => void): Disposable => onChangeOf(hub, name, listener);
  const open = (own: ServerPolicy, onPhase: OnPhase, memory = shared.memory): Supervisor => {
    const onState = ({ phase: previous }: ServerState, { phase }: ServerState): void => {
      if (phase !== previous) onPhase(phase);
    };
    return new Supervisor(own, { ...shared, memory, ...forwarded, ...sharedOnly, onState });
  };
  const connectionTo = (its: Supervisor): Connection => {
    const openLegacy = (own: ServerPolicy, onPhase: OnPhase) => open(own, onPhase, createMemoryStore(undefined));
    const eras = new EraSessions({ supervisor: its, open: openLegacy, onLog: forwarded.onLog });
    const requests = new RequestRouter({ supervisor: eras, callTimeoutMs, telemetry });
    its.onUpdated = () => requests.grantTurns();
    return { supervisor: its, requests, eras };
  };
  const connections: CallerConnections = new CallerConnections({
    shared: connectionTo(supervisor),
    open: (own, onPhase) => connectionTo(open(own, onPhase)),
  });
  return {
    supervisor,
    handle: managedServer({
      server,
      supervisor,
      connections,
      signIn,
      subscriptions,
      lists,
      onToolsChanged,
    }),
    update: (policy) => connections.update(policy),
    replaced: () => {
      isReplaced = true;
    },
    close: (how) => connections.close(how),
  };
}

function forwardedEvents(name: string, hub: Emitter<ManagerEvents>, redact: Redact) {
  return {
    onMemoryExceeded: (memoryBytes: number, limitBytes: number) =>
      hub.emit('memory-exceeded', { server: name, memoryBytes, limitBytes }),
    onNotification: (method: string, params: Readonly<Record<string, unknown>>) =>
      hub.emit('server-notification', {
        server: name,
        method: redact(method),
        params: redactData(params, redact) as typeof params,
      }),
    onElicitationCompleted: (elicitationId: string) =>
      hub.emit('elicitation-completed', { server: name, elicitationId }),
    onLog: ({ level, about, ...entry }: ServerLogEntry) =>
      hub.emit('server-log', { server: name, level, about, ...(redactData(entry, redact) as typeof entry) }),
    onStderrLine: (line: string) => hub.emit('server-stderr', { server: name, line }),
    onEscaped: (pids: readonly number[]) => hub.emit('processes-escaped', { server: name, pids }),
    onJunk: (text: string) => hub.emit('server-junk', { server: name, text: redact(text) }),
  };
}

/** Only the shared connection represents the server's condition and offer. */
const sharedOnly = {
  onHealth: () => undefined,
  onCheckPassed: () => undefined,
  onToolsChanged: () => undefined,
  onToolsRelisted: () => undefined,
  onListChanged: () => undefined,
  onResourceUpdated: () => undefined,
};

function onChangeOf(hub: Emitter<ManagerEvents>, name: string, listener: () => void): Disposable {
  const call = ({ server }: { server: string }): void => {
    if (server === name) listener();
  };
  const subscriptions = [hub.on('tools-changed', call), hub.on('server-state', call)];
  return {
    [Symbol.dispose]: () => {
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    },
  };
}
