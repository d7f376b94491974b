import type { ManagerError } from '../../errors.js';
import { redactError } from '../../redaction.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { Session, ToolListing } from '../../session/session.js';
import type { ListChangeCause, ServerList } from '../../session/session-listeners.js';
import type { Report } from '../state/server-state.js';
import { Connection, type ConnectionContext, type ConnectionEnd } from './connection.js';
import { endError, lossOfSession, lossOfStart } from './loss.js';

interface GenerationContext extends Omit<ConnectionContext, 'onStep' | 'onListChanged'> {
  readonly onListChanged: (
    list: ServerList,
    change: { readonly session: Session | undefined; readonly cause: ListChangeCause },
  ) => void;
  readonly report: (report: Report) => void;
  readonly listTools: (session: Session) => Promise<ToolListing>;
  /** Resolves when the server has passed a health check. */
  readonly untilHealthy: (session: Session, listing: ToolListing) => Promise<void>;
  /** True if the machine woke within the last minute. */
  readonly isInSleepGrace: () => boolean;
  readonly pauseStarts: (reason: string) => number;
  readonly mayRenew: () => boolean;
}

/** One start attempt and its outcome. Reports events; decides nothing. */
export class Generation {
  readonly #server: ServerPolicy;
  readonly #context: GenerationContext;
  readonly #connection: Connection;
  readonly #startedAt = performance.now();
  #session: Session | undefined;
  #end: Promise<ManagerError> | undefined;
  #isReady = false;
  readonly #gone: Promise<void>;
  #settleGone: (how: undefined | Promise<never>) => void = () => undefined;

  constructor(server: ServerPolicy, context: GenerationContext) {
    this.#server = server;
    this.#context = context;
    this.#gone = new Promise((resolve) => {
      this.#settleGone = resolve;
    });
    this.#gone.catch(() => undefined);
    this.#connection = new Connection(server, {
      ...context,
      onStep: (step) => context.report({ type: 'step', step }),
      onListChanged: (list, cause) => context.onListChanged(list, { session: this.#session, cause }),
    });
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  /** Stays set after the session's end. */
  get session(): Session | undefined {
    return this.#session;
  }

  stderrTail(): readonly string[] {
    return this.#connection.stderrTail();
  }

  /** Never rejects: failures are reported. */
  async open(): Promise<void> {
    const { report, listTools, untilHealthy, isInSleepGrace, pauseStarts, policy } = this.#context;
    try {
      const session = await this.#connection.open();
      this.#session = session;
      this.#end = this.#connection.ended(session).then((end) => this.#reportEnd(end));
      report({ type: 'step', step: 'tools' });
      const listing = await listTools(session);
      if (!session.isOpen) return;
      if (this.#server.health.method === 'tool_call') report({ type: 'step', step: 'health' });
      await untilHealthy(session, listing);
      if (!session.isOpen) return;
      this.#isReady = true;
      report({ type: 'ready', catalog: listing.completeness });
    } catch (error) {
      const redacted = redactError(error, policy.redact);
      report({
        type: 'lost',
        loss: lossOfStart(redacted, { isInSleepGrace: isInSleepGrace(), pauseStarts }),
      });
    }
  }

  /** Ends the processes at once. Call `stop` first, which reports the end. */
  kill(): void {
    this.#connection.kill();
  }

  /** Reports `stopped`, or `stuck` when a process survives. Never rejects. */
  async stop(): Promise<void> {
    const { report } = this.#context;
    try {
      await this.#connection.stop();
    } catch (cause) {
      this.#settleGone(Promise.reject(cause));
      report({ type: 'stuck', cause });
      return;
    }
    this.#settleGone(undefined);
    report({ type: 'stopped' });
  }

  /**
   * Resolves when the generation was stopped and nothing of it is left.
   *
   * @throws {ManagerError} `stop-failed`
   */
  gone(): Promise<void> {
    return this.#gone;
  }

  /** Waits for the session's end. */
  async ended(): Promise<ManagerError> {
    return this.#end ?? endError({ exit: undefined, isAsked: false }, this.#facts());
  }

  #reportEnd(end: ConnectionEnd): ManagerError {
    const uptimeMs = performance.now() - this.#startedAt;
    const { isInSleepGrace, mayRenew } = this.#context;
    const isReady = this.#isReady;
    const loss = lossOfSession(end, {
      ...this.#facts(),
      isReady,
      mayRenew,
      isInSleepGrace: isInSleepGrace(),
      uptimeMs,
    });
    this.#context.report({ type: 'lost', loss });
    return loss.cause as ManagerError;
  }

  #facts(): { server: string; stderrTail: readonly string[] } {
    return { server: this.#server.name, stderrTail: this.stderrTail() };
  }
}
