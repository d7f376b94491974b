import type { ServerPolicy } from '../options.js';
import type { Session } from '../session/session.js';

export type HealthVerdict = 'unknown' | 'healthy' | 'unhealthy';

export interface HealthMonitorHooks {
  /** Called after each check that says something about the present session. */
  readonly onChecked: (isAlive: boolean, reason: unknown) => void;
}

/** Asks a ready server now and then whether it still answers. */
export class HealthMonitor {
  readonly #server: ServerPolicy;
  readonly #hooks: HealthMonitorHooks;
  #session: Session | undefined;
  #timer: NodeJS.Timeout | undefined;
  #verdict: HealthVerdict = 'unknown';

  constructor(server: ServerPolicy, hooks: HealthMonitorHooks) {
    this.#server = server;
    this.#hooks = hooks;
  }

  /** What the last check said; `unknown` before the first and while the server is not running. */
  get verdict(): HealthVerdict {
    return this.#verdict;
  }

  start(session: Session): void {
    this.stop();
    this.#session = session;
    this.#timer = setInterval(() => void this.checkNow(), this.#server.healthCheckIntervalMs);
    this.#timer.unref(); // an idle host may end; its servers end with it
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#session = undefined;
    this.#verdict = 'unknown';
  }

  /** @returns Whether the server answered as its health check asks; `false` when none is watched. */
  async checkNow({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    const session = this.#session;
    if (!session) return false;
    let isAlive = true;
    let reason: unknown;
    try {
      await this.#check(session, signal);
    } catch (error) {
      signal?.throwIfAborted();
      isAlive = false;
      reason = error;
    }
    // A check that failed because the session ended meanwhile says nothing that its supervisor does not know.
    if (session !== this.#session || !session.isOpen) return isAlive;
    this.#verdict = isAlive ? 'healthy' : 'unhealthy';
    // Many servers do one thing at a time: one that is busy with a call is not dead because it does not answer a ping.
    if (isAlive || session.callsInFlight === 0) this.#hooks.onChecked(isAlive, reason);
    return isAlive;
  }

  async #check(session: Session, signal: AbortSignal | undefined): Promise<void> {
    const { name, healthCheck } = this.#server;
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new Error(`no answer within ${healthCheck.timeoutMs} ms`)),
      healthCheck.timeoutMs,
    );
    const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
    try {
      if (healthCheck.method === 'ping') return await session.checkAlive({ signal: either });
      const result = await session.callTool(healthCheck.tool, healthCheck.args ?? {}, { signal: either });
      if (result.isError)
        throw new Error(`the health check's tool "${healthCheck.tool}" of "${name}" returned an error`);
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
