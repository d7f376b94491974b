import { Listeners } from '@x/internal/events';
import { BoundedMap } from '@x/internal/limits';
import type { AuditEvent, AuditSink } from '@x/mcp-registry/audit';
import { recordIn } from './call-records.js';
import { type CallOutcome, type CallView, maxCalls } from './page-messages.js';
import { truncate } from './page-views.js';

const maxNameLength = 200;

type CallEvent = Extract<AuditEvent, { readonly action: 'call' }>;

/** The latest tool calls. */
export class CallHistory {
  readonly #calls = new BoundedMap<number, CallView>(maxCalls);
  readonly #listeners = new Listeners<CallView>('call');
  /** Ids of open calls, by the fields that all events of one call share. */
  readonly #running = new Map<string, number[]>();
  #count = 0;

  /** Oldest first. */
  list(): readonly CallView[] {
    return [...this.#calls.values()];
  }

  onCall(listener: (call: CallView) => void): Disposable {
    return this.#listeners.add(listener);
  }

  /**
   * Receives audit events. A reload creates a registry that numbers its calls from 1 while earlier ones finish, so the
   * number alone does not identify a call.
   */
  readonly sink: AuditSink = (event) => {
    if (event.action !== 'call') return;
    const key = JSON.stringify([event.call, event.name, event.role]);
    const running = this.#running.get(key) ?? [];
    const isNew = event.outcome === 'started' || running.length === 0;
    const id = isNew ? ++this.#count : (running.shift() as number);
    if (event.outcome === 'started') running.push(id);
    if (running.length > 0) this.#running.set(key, running);
    else this.#running.delete(key);
    this.#record(toCall(id, event, this.#calls.get(id)));
  };

  #record(call: CallView): void {
    this.#calls.set(call.id, call);
    this.#listeners.tell(call);
  }
}

function toCall(id: number, event: CallEvent, before: CallView | undefined): CallView {
  const { name, server, role, client, error, durationMs, time } = event;
  const record = recordIn(event.interceptors);
  return {
    id,
    at: before?.at ?? Date.parse(time) - (durationMs ?? 0), // its start may be no longer kept
    tool: truncate(name, maxNameLength),
    outcome: outcomeOf(event),
    ...(server !== undefined && { server }),
    ...(role !== undefined && { role: truncate(role, maxNameLength) }),
    ...(client !== undefined && { client: truncate(client, maxNameLength) }),
    ...(error !== undefined && { error }),
    ...(durationMs !== undefined && { durationMs }),
    ...(record !== undefined && { record }),
  };
}

function outcomeOf({ outcome }: CallEvent): CallOutcome {
  if (outcome === undefined) return 'refused';
  return outcome === 'started' ? 'running' : outcome;
}
