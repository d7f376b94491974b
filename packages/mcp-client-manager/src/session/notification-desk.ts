import { Coalescer } from './coalescer.js';
import { Credit } from './credit.js';
import type { HostRequests } from './host-requests.js';
import type { OwnerChoice } from './hosts-under-way.js';
import type { Params } from './json-rpc.js';
import { LogGate } from './log-gate.js';
import type { ServerList, ServerLogEntry, SessionListeners } from './session-listeners.js';

/** The same list, the same resource or the same elicitation is told of at most once in this time, in milliseconds. */
const periodMs = 1_000;

const levels: ReadonlySet<unknown> = new Set<ServerLogEntry['level']>([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);

/** A longer id of an elicitation is nobody's, in characters. */
const maxElicitationId = 1_024;

/** About single requests; the connection itself sees to them. */
const aboutRequests: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/subscriptions/acknowledged',
]);

export interface NotificationDeskOptions {
  readonly listeners: SessionListeners;
  readonly host: HostRequests;
}

/**
 * Where a server's notifications go. Each costs a look at a few fields, so that a server which sends a million of them
 * costs little more than reading them does.
 */
export class NotificationDesk {
  readonly #options: NotificationDeskOptions;
  readonly #lists: Coalescer<ServerList>;
  readonly #resources: Coalescer<string>;
  readonly #elicitations: Coalescer<string>;
  readonly #log: LogGate;
  readonly #others = new Credit();
  #isOpen = true;

  constructor(options: NotificationDeskOptions) {
    const { onListChanged, onResourceUpdated, onElicitationCompleted, onLog } = options.listeners;
    this.#options = options;
    this.#lists = new Coalescer({ periodMs, tell: onListChanged });
    this.#resources = new Coalescer({ periodMs, tell: onResourceUpdated });
    this.#elicitations = new Coalescer({ periodMs, tell: onElicitationCompleted });
    this.#log = new LogGate(onLog);
  }

  /** @param about - Whose requests are under way, for an entry of the log. */
  take(method: string, params: Params, about: () => OwnerChoice | undefined): void {
    if (!this.#isOpen) return;
    switch (method) {
      case 'notifications/message':
        this.#logged(params, about);
        return;
      case 'notifications/tools/list_changed':
        this.listChanged('tools');
        return;
      case 'notifications/resources/list_changed':
        this.listChanged('resources');
        return;
      case 'notifications/prompts/list_changed':
        this.listChanged('prompts');
        return;
      case 'notifications/resources/updated':
        if (typeof params.uri === 'string') this.#resources.add(params.uri);
        return;
      case 'notifications/elicitation/complete':
        this.#elicitationCompleted(params);
        return;
      default:
        if (!aboutRequests.has(method) && this.#others.take()) this.#options.listeners.onNotification?.(method, params);
    }
  }

  listChanged(list: ServerList): void {
    if (this.#isOpen) this.#lists.add(list);
  }

  /** Nothing is told any more. */
  close(): void {
    this.#isOpen = false;
    this.#lists.close();
    this.#resources.close();
    this.#elicitations.close();
  }

  #elicitationCompleted(params: Params): void {
    this.#options.host.elicitationCompleted(params);
    const { elicitationId } = params;
    if (typeof elicitationId !== 'string' || elicitationId.length > maxElicitationId) return;
    this.#elicitations.add(elicitationId);
  }

  #logged({ level, logger, data }: Params, about: () => OwnerChoice | undefined): void {
    if (!levels.has(level)) return;
    const entry = { level: level as ServerLogEntry['level'], data, about: about() };
    this.#log.add(typeof logger === 'string' ? { ...entry, logger } : entry);
  }
}
