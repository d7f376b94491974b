import type { CallHandler } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { isLarger } from '../server/message-sizes.js';
import type { GatewayNames } from './naming/gateway-names.js';
import {
  type GatewayUpstream,
  type LogLevel,
  type ReportProblem,
  reasonOf,
  type UpstreamEvent,
  type UpstreamLogEntry,
  type UpstreamSession,
} from './upstream.js';

/** From the most frequent level to the rarest. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

interface RequestedLevel {
  /** `undefined`: all entries. */
  readonly level: LogLevel | undefined;
  readonly handler: CallHandler;
}

/** Without a level, a client gets all entries. */
export function isWanted(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted === undefined || LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}

/** False for an entry about another owner's requests. */
export function isAbout(about: UpstreamLogEntry['about'], owner: unknown): boolean {
  return about === undefined || (about !== 'several' && about.owner === owner);
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LEVELS.includes(value as LogLevel);
}

/**
 * Sets servers' log levels to the most detailed level of all clients, once a client requests one. A level that no client
 * needs any more stays until the server reconnects.
 */
export class LogLevels {
  readonly #onProblem: ReportProblem;
  /** Requested levels by server and client. */
  readonly #wanted = new Map<string, Map<object, RequestedLevel>>();
  readonly #set = new WeakMap<UpstreamSession, LogLevel>();

  constructor(onProblem: ReportProblem) {
    this.#onProblem = onProblem;
  }

  /** Requests a level until `forget(who)`. Never rejects. */
  async want(upstream: GatewayUpstream, { who, ...wish }: RequestedLevel & { readonly who: object }): Promise<void> {
    const wanted = this.#wanted.get(upstream.name) ?? new Map<object, RequestedLevel>();
    this.#wanted.set(upstream.name, wanted.set(who, wish));
    await this.apply(upstream);
  }

  forget(who: object): void {
    for (const wanted of this.#wanted.values()) wanted.delete(who);
  }

  /** Call it for each connection to a server. */
  async apply(upstream: GatewayUpstream): Promise<void> {
    const { session, name: server } = upstream;
    if (session?.capabilities.logging === undefined) return;
    const wishes = [...(this.#wanted.get(server)?.values() ?? [])];
    const most = mostOf(wishes);
    const current = this.#set.get(session);
    if (most === undefined) return;
    if (current === undefined && wishes.every((wish) => wish.level === undefined)) return; // the server's default
    const { level = 'debug', handler } = most;
    if (current !== undefined && isWanted(level, current)) return;
    this.#set.set(session, level);
    try {
      await upstream.setLogLevel(level, { handler });
    } catch (cause) {
      if (this.#set.get(session) === level) this.#set.delete(session);
      const message = `Server "${server}" did not accept the log level ${level}: ${messageOf(cause)}`;
      this.#onProblem({ code: 'log-level-failed', server, reason: reasonOf(cause), message, cause });
    }
  }
}

function mostOf(wishes: readonly RequestedLevel[]): RequestedLevel | undefined {
  let most: RequestedLevel | undefined;
  for (const wish of wishes) {
    if (wish.level === undefined) continue;
    if (most?.level === undefined || LEVELS.indexOf(wish.level) < LEVELS.indexOf(most.level)) most = wish;
  }
  const unset = wishes.find(({ level }) => level === undefined);
  return unset === undefined ? most : { level: undefined, handler: (most ?? unset).handler };
}

/** Longest forwarded entry: the size of a session's event buffer. */
const MAX_ENTRY_BYTES = 256 * 1024;

interface LogMessage extends Readonly<Record<string, unknown>> {
  readonly level: LogLevel;
  readonly logger: string | undefined;
  readonly data: unknown;
}

export class LogMessages {
  readonly #names: GatewayNames;
  readonly #known = new WeakMap<UpstreamLogEntry, LogMessage>();

  constructor(names: GatewayNames) {
    this.#names = names;
  }

  /** Returns the same object for the same entry, so that many streams serialize it once. */
  of(entry: UpstreamEvent & UpstreamLogEntry): LogMessage {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const { server, level, logger, data } = entry;
    const isTooLarge = isLarger([logger, data], MAX_ENTRY_BYTES);
    const message = isTooLarge
      ? { level, logger: this.#names.logger(server, undefined), data: tooLarge(server) }
      : { level, logger: this.#names.logger(server, logger), data };
    this.#known.set(entry, message);
    return message;
  }
}

function tooLarge(server: string): string {
  return `A log entry of server "${server}" was left out: it is larger than ${MAX_ENTRY_BYTES} bytes.`;
}
