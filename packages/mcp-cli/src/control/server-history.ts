import { together } from '@x/internal/events';
import { type Stack, serverNamed } from '../compose.js';
import type { ServerChange, ServerHistoryEntry } from '../dashboard/page-messages.js';
import { truncate } from '../dashboard/page-views.js';
import { onServerEvent } from '../servers/server-events.js';
import type { ServerHandlers } from './control.js';
import type { ControlBase } from './control-base.js';

/** Entries per server, at most. The oldest are dropped. */
const maxEntries = 100;
const maxDetailLength = 500;

interface ServerHistory extends Disposable {
  readonly read: ServerHandlers['serverHistory'];
}

/** Stores what happened to servers: starts, checks, restarts, crashes, withdrawals, stops and changed configs. */
export function createServerHistory(stack: Stack, { redactData }: ControlBase): ServerHistory {
  const entries = new Map<string, ServerHistoryEntry[]>();
  const keep = (server: string, entry: ServerHistoryEntry): void => {
    const known = entries.get(server) ?? [];
    entries.set(server, known);
    known.push(entry);
    if (known.length > maxEntries) known.shift();
  };
  const add = (server: string, kind: ServerChange['kind'], detail?: string): void =>
    keep(server, { at: Date.now(), kind, ...(detail !== undefined && { detail: truncate(detail, maxDetailLength) }) });
  /** Adds a passed check to the entry of those before it. */
  const addPassed = (server: string): void => {
    const known = entries.get(server) ?? [];
    const last = known.at(-1);
    if (last?.kind === 'checks-passed') known[known.length - 1] = { ...last, at: Date.now(), count: last.count + 1 };
    else keep(server, { at: Date.now(), kind: 'checks-passed', count: 1 });
  };
  const statusOf = (server: string) => stack.manager.servers().find(({ name }) => name === server)?.status;
  const listening = together(
    onServerEvent(stack, ({ server, kind, detail }) => {
      const isForCall = kind === 'starting' && (statusOf(server)?.callsQueued ?? 0) > 0;
      add(server, kind, isForCall ? 'A call waits for it' : detail);
    }),
    stack.manager.events.on('check-passed', ({ server }) => {
      if (statusOf(server)?.phase === 'ready') addPassed(server);
    }),
    stack.manager.events.on('servers-changed', ({ removed, updated, restarted }) => {
      for (const server of removed) entries.delete(server);
      for (const server of updated) add(server, 'config-changed');
      for (const server of restarted) add(server, 'config-changed', 'It was started again with the change');
    }),
  );
  return {
    read: async ({ server }) => {
      serverNamed(stack, server);
      return redactData(entries.get(server) ?? []);
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}
