import type { CallHandler } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import type { ReportProblem } from './problems.js';
import { reasonOf } from './rpc-error.js';
import type { GatewayUpstream, LogLevel, UpstreamLogEntry, UpstreamSession } from './upstream.js';

/** From the most frequent level to the rarest. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** A requested log level, and the owner of the request. */
export interface WantedLevel {
  readonly level: LogLevel;
  readonly handler: CallHandler;
}

/** True if a recipient with level `wanted` gets an entry. Recipients without a level get all entries. */
export function isWanted(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted === undefined || LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}

/** True if an entry may go to clients of `owner`: it cannot be about another owner's requests. */
export function isAbout(about: UpstreamLogEntry['about'], owner: unknown): boolean {
  return about === undefined || (about !== 'several' && about.owner === owner);
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LEVELS.includes(value as LogLevel);
}

/**
 * Log levels of servers: the most detailed one that any client requested. Each client then gets its own levels. A
 * level that no client needs any more stays until the server reconnects.
 */
export class LogLevels {
  readonly #onProblem: ReportProblem;
  /** By server, the requested levels. */
  readonly #wanted = new Map<string, Map<object, WantedLevel>>();
  readonly #set = new WeakMap<UpstreamSession, LogLevel>();

  constructor(onProblem: ReportProblem) {
    this.#onProblem = onProblem;
  }

  /** Makes a connected server log what `who` requested, until `who` is released. Never rejects. */
  async want(upstream: GatewayUpstream, { who, ...wish }: WantedLevel & { readonly who: object }): Promise<void> {
    const wanted = this.#wanted.get(upstream.name) ?? new Map<object, WantedLevel>();
    this.#wanted.set(upstream.name, wanted.set(who, wish));
    await this.apply(upstream);
  }

  forget(who: object): void {
    for (const wanted of this.#wanted.values()) wanted.delete(who);
  }

  /** Call it for each connection to a server. Starts none. */
  async apply(upstream: GatewayUpstream): Promise<void> {
    const { session, name: server } = upstream;
    if (session?.capabilities.logging === undefined) return;
    const most = mostOf(this.#wanted.get(server));
    const current = this.#set.get(session);
    if (most === undefined) return;
    const { level, handler } = most;
    if (current !== undefined && isWanted(level, current)) return;
    this.#set.set(session, level);
    try {
      await upstream.setLogLevel(level, { handler });
    } catch (cause) {
      if (this.#set.get(session) === level) this.#set.delete(session);
      const message = `Server "${server}" did not take the log level ${level}: ${messageOf(cause)}`;
      this.#onProblem({ code: 'log-level-failed', server, reason: reasonOf(cause), message, cause });
    }
  }
}

function mostOf(wanted: ReadonlyMap<object, WantedLevel> | undefined): WantedLevel | undefined {
  let most: WantedLevel | undefined;
  for (const wish of wanted?.values() ?? []) {
    if (most === undefined || LEVELS.indexOf(wish.level) < LEVELS.indexOf(most.level)) most = wish;
  }
  return most;
}
