import type { MemoryStore } from '../catalog-cache/memory-store.js';
import type { ManagerPolicy } from '../options.js';
import type { ProcessOwner } from '../process/process-owner.js';
import type { ServerList, ServerLogEntry } from '../session/session-listeners.js';
import type { HealthVerdict } from './health/health-monitor.js';
import type { MachineSleep } from './health/machine-sleep.js';
import type { ServerState } from './state/server-state.js';
import type { StartSlots } from './state/start-slots.js';

/** What all supervisors of a manager share, and the listeners of one. */
export interface SupervisorContext {
  readonly policy: ManagerPolicy;
  readonly processes: ProcessOwner;
  readonly slots: StartSlots;
  readonly sleep: MachineSleep;
  readonly memory: MemoryStore;
  readonly onState: (previous: ServerState, state: ServerState) => void;
  readonly onHealth: (health: HealthVerdict) => void;
  readonly onMemoryExceeded: (memoryBytes: number, limitBytes: number) => void;
  readonly onToolsChanged: (tools: number) => void;
  readonly onListChanged: (list: Exclude<ServerList, 'tools'>) => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onElicitationCompleted: (elicitationId: string) => void;
  readonly onNotification?: ((method: string, params: Readonly<Record<string, unknown>>) => void) | undefined;
  readonly onLog: (entry: ServerLogEntry) => void;
  readonly onStderrLine: (line: string) => void;
  readonly onEscaped: (pids: readonly number[]) => void;
  readonly onJunk: (text: string) => void;
}
