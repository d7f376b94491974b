import { TokenBucket } from '@x/internal/limits';
import type { Params } from '../peer/json-rpc.js';
import type { OwnerChoice } from '../server-requests/active-callers.js';
import type { ServerRequestRouter } from '../server-requests/server-request-router.js';
import type { ServerList, ServerLogEntry, SessionListeners } from '../session-listeners.js';
import { Coalescer } from './coalescer.js';

const repeatPeriodMs = 1_000;

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

const maxElicitationId = 1_024;

/** The peer handles these, since they are about single requests. */
const aboutRequests: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/subscriptions/acknowledged',
]);

interface NotificationRouterOptions {
  readonly listeners: SessionListeners;
  readonly serverRequests: ServerRequestRouter;
}

/** Dispatches a server's notifications. Inspects only a few fields, so that a flood costs little more than parsing. */
export class NotificationRouter {
  readonly #options: NotificationRouterOptions;
  readonly #lists: Coalescer<ServerList>;
  readonly #resources: Coalescer<string>;
  readonly #elicitations: Coalescer<string>;
  readonly #log: LogLimiter;
  readonly #others = new NotificationBucket();
  readonly #announced = new Set<ServerList>();
  #isOpen = true;

  constructor(options: NotificationRouterOptions) {
    const { onListChanged, onResourceUpdated, onElicitationCompleted, onLog } = options.listeners;
    this.#options = options;
    this.#lists = new Coalescer({
      periodMs: repeatPeriodMs,
      notify: (list) => onListChanged(list, this.#announced.delete(list) ? 'announced' : 'reopened'),
    });
    this.#resources = new Coalescer({ periodMs: repeatPeriodMs, notify: onResourceUpdated });
    this.#elicitations = new Coalescer({ periodMs: repeatPeriodMs, notify: onElicitationCompleted });
    this.#log = new LogLimiter(onLog);
  }

  dispatch(method: string, params: Params, about: () => OwnerChoice | undefined): void {
    if (!this.#isOpen) return;
    switch (method) {
      case 'notifications/message':
        this.#logged(params, about);
        return;
      case 'notifications/tools/list_changed':
        this.#listAnnounced('tools');
        return;
      case 'notifications/resources/list_changed':
        this.#listAnnounced('resources');
        return;
      case 'notifications/prompts/list_changed':
        this.#listAnnounced('prompts');
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

  close(): void {
    this.#isOpen = false;
    this.#lists.close();
    this.#resources.close();
    this.#elicitations.close();
  }

  #listAnnounced(list: ServerList): void {
    this.#announced.add(list);
    this.listChanged(list);
  }

  #elicitationCompleted(params: Params): void {
    this.#options.serverRequests.elicitationCompleted(params);
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

const perSecond = 200;

/** Admits a burst of 1 000 notifications, then 200 a second. */
class NotificationBucket extends TokenBucket {
  constructor() {
    super({ requests: perSecond, perMs: 1_000, burst: 1_000 });
  }
}

/** Reports the number of dropped entries before the next one that passes. */
class LogLimiter {
  readonly #pass: (entry: ServerLogEntry) => void;
  readonly #bucket = new NotificationBucket();
  #dropped = 0;

  constructor(pass: (entry: ServerLogEntry) => void) {
    this.#pass = pass;
  }

  add(entry: ServerLogEntry): void {
    if (!this.#bucket.take()) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) this.#reportDropped(entry.about);
    this.#pass(entry);
  }

  #reportDropped(about: ServerLogEntry['about']): void {
    const data = `${this.#dropped} log entries were dropped: the server sent more than ${perSecond} a second`;
    this.#dropped = 0;
    this.#pass({ level: 'warning', logger: 'mcp-client-manager', data, about });
  }
}
