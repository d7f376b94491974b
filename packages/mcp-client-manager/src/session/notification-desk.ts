import { Coalescer } from './coalescer.js';
import { Credit } from './credit.js';
import type { HostRequests } from './host-requests.js';
import type { OwnerChoice } from './hosts-under-way.js';
import { LogGate } from './log-gate.js';
import type { ProgressListeners } from './progress-listeners.js';
import type { Params } from './request-lane.js';
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

/** What concerns requests that the SDK has sent or received. Any other is nobody's, and costs nobody anything. */
const ofTheSdk: ReadonlySet<string> = new Set(['notifications/cancelled', 'notifications/subscriptions/acknowledged']);

export interface NotificationDeskOptions {
  readonly listeners: SessionListeners;
  readonly progress: ProgressListeners;
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

  /**
   * @param about - Whose requests are under way, for an entry of the log.
   * @returns Whether nobody else needs to see it.
   */
  take(method: string, params: Params, about?: () => OwnerChoice | undefined): boolean {
    if (!this.#isOpen) return true;
    switch (method) {
      case 'notifications/progress':
        this.#options.progress.tell(params);
        return true;
      case 'notifications/message':
        this.#logged(params, about);
        return true;
      case 'notifications/tools/list_changed':
        this.listChanged('tools');
        return true;
      case 'notifications/resources/list_changed':
        this.listChanged('resources');
        return true;
      case 'notifications/prompts/list_changed':
        this.listChanged('prompts');
        return true;
      case 'notifications/resources/updated':
        if (typeof params.uri === 'string') this.#resources.add(params.uri);
        return true;
      case 'notifications/elicitation/complete':
        this.#elicitationCompleted(params);
        return true;
      default:
        if (ofTheSdk.has(method)) return false;
        if (this.#others.take()) this.#options.listeners.onNotification?.(method, params);
        return true;
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

  #logged({ level, logger, data }: Params, about: (() => OwnerChoice | undefined) | undefined): void {
    if (!levels.has(level)) return;
    const entry = { level: level as ServerLogEntry['level'], data, about: about?.() };
    this.#log.add(typeof logger === 'string' ? { ...entry, logger } : entry);
  }
}
