import { messageOf } from '@x/internal/errors';
import { together } from '@x/internal/events';
import {
  type ClientManager,
  isManagerError,
  type ManagerEvents,
  type NextState,
  type ServerState,
  type ServerStatus,
} from '@x/mcp-client-manager';
import type { Redactor } from '@x/mcp-config-schema';
import type { ServerEventKind } from '../control/server-facts.js';
import { inCommandWords } from '../output/command-words.js';

export interface ServerEvent {
  readonly server: string;
  readonly kind: ServerEventKind;
  /** Reason, or what is known of a start. Untrusted; known secrets are redacted. */
  readonly detail?: string | undefined;
}

/** Where events come from. */
export interface WatchedServers {
  readonly manager: Pick<ClientManager, 'events' | 'servers'>;
  readonly redactor: Pick<Redactor, 'redact'>;
}

/** Receives each start, failed check, restart, crash, withdrawal and stop of a server. */
export function onServerEvent(
  { manager, redactor }: WatchedServers,
  listener: (event: ServerEvent) => void,
): Disposable {
  const { events } = manager;
  const report = (server: string, kind: ServerEventKind, detail: string): void => {
    const start = `Server "${server}" `;
    const text = redactor.redact(inCommandWords(detail.startsWith(start) ? detail.slice(start.length) : detail));
    listener({ server, kind, ...(text !== '' && { detail: text }) });
  };
  return together(
    events.on('server-state', ({ server, ...change }) => {
      const found = eventOf(change);
      if (!found) return;
      report(server, found.kind, detailOf(found, manager.servers().find(({ name }) => name === server)?.status));
    }),
    events.on('server-health', ({ server, reason }) => {
      if (reason !== undefined) report(server, 'check-failed', reason);
    }),
  );
}

interface FoundEvent {
  readonly kind: ServerEventKind;
  /** State after the failure. */
  readonly next?: NextState;
}

function eventOf({ previous, state }: Omit<ManagerEvents['server-state'], 'server'>): FoundEvent | undefined {
  const isOther = previous.phase !== state.phase;
  switch (state.phase) {
    case 'starting':
      return isOther ? { kind: state.after === 'rest' ? 'starting' : 'restarting' } : undefined;
    case 'ready':
      if (previous.phase !== 'ready') return { kind: 'ready' };
      return state.misses < previous.misses ? { kind: 'recovered' } : undefined;
    case 'draining':
    case 'stopping':
      return previous.phase === 'starting' || previous.phase === 'ready' ? endOf(previous, state.next) : undefined;
    case 'parked':
    case 'failed':
    case 'auth-required':
      return isOther ? { kind: 'withdrawn' } : undefined;
    case 'idle':
    case 'disabled':
    case 'closed':
      return endedPhases.has(previous.phase) ? { kind: 'stopped' } : undefined;
    default:
      return undefined;
  }
}

/** Phases of a server that runs, or would run again by itself. */
const endedPhases: ReadonlySet<ServerState['phase']> = new Set(['stopping', 'queued', 'backoff', 'parked']);

function endOf({ phase }: ServerState, next: NextState): FoundEvent | undefined {
  if (next.phase === 'queued') return { kind: 'restarting' };
  if (!('cause' in next)) return undefined;
  if (phase === 'starting') return { kind: 'start-failed', next };
  const isCrash = isManagerError(next.cause) && next.cause.code === 'connection-lost';
  return { kind: isCrash ? 'crashed' : 'failed', next };
}

function detailOf({ kind, next }: FoundEvent, status: ServerStatus | undefined): string {
  if (kind === 'ready') return `${status?.pid === undefined ? '' : `process ${status.pid}, `}${status?.tools} tools`;
  if (kind === 'withdrawn') return status?.lastError ?? '';
  if (!next || !('cause' in next)) return '';
  const outlook = next.phase === 'backoff' ? `; next attempt in ${(next.delayMs / 1_000).toFixed(1)} s` : '';
  const reason = messageOf(next.cause);
  return outlook === '' ? reason : `${reason.replace(/\.$/, '')}${outlook}`;
}
