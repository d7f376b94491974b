import type { CallHost } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import type { ReportProblem } from './problems.js';
import { reasonOf } from './rpc-error.js';
import type { GatewayUpstream, LogLevel, UpstreamLogEntry, UpstreamSession } from './upstream.js';

/** From what is told the most often to what is told the least. */
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** What somebody wants a server to log, and for whom the server is asked for it. */
export interface WantedLevel {
  readonly level: LogLevel;
  readonly host: CallHost;
}

/** Whether somebody who wants `wanted` is told of an entry. Who has not said what they want is told of all. */
export function isWanted(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted === undefined || LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}

/** Whether an entry may go to clients of `owner`: it can be about nobody else's requests. */
export function isAbout(about: UpstreamLogEntry['about'], owner: unknown): boolean {
  return about === undefined || (about !== 'several' && about.owner === owner);
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LEVELS.includes(value as LogLevel);
}

/**
 * What servers are to log: as much as the client wants that wants the most. Each client is then told of what it wants
 * itself. A server logs on at a level that nobody wants any more, until there is another connection to it.
 */
export class LogLevels {
  readonly #onProblem: ReportProblem;
  /** By server, who wants what. */
  readonly #wanted = new Map<string, Map<object, WantedLevel>>();
  readonly #set = new WeakMap<UpstreamSession, LogLevel>();

  constructor(onProblem: ReportProblem) {
    this.#onProblem = onProblem;
  }

  /** Sees to it that a server which is connected logs what `who` wants, until `who` is let go of. Never rejects. */
  async want(upstream: GatewayUpstream, { who, ...wish }: WantedLevel & { readonly who: object }): Promise<void> {
    const wanted = this.#wanted.get(upstream.name) ?? new Map<object, WantedLevel>();
    this.#wanted.set(upstream.name, wanted.set(who, wish));
    await this.apply(upstream);
  }

  forget(who: object): void {
    for (const wanted of this.#wanted.values()) wanted.delete(who);
  }

  /** To be called for each connection to a server. Starts none. */
  async apply(upstream: GatewayUpstream): Promise<void> {
    const { session, name: server } = upstream;
    if (session?.capabilities.logging === undefined) return;
    const most = mostOf(this.#wanted.get(server));
    const current = this.#set.get(session);
    if (most === undefined) return;
    const { level, host } = most;
    if (current !== undefined && isWanted(level, current)) return;
    this.#set.set(session, level);
    try {
      await upstream.setLogLevel(level, { host });
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
