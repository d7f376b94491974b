import { within } from '@x/internal/async';
import { authTarget, requestAuthSource } from '../../auth/auth-plug.js';
import { ManagerError } from '../../errors.js';
import { prepareLaunch, requireSetUp } from '../../launch/prepare-launch.js';
import type { ManagerPolicy } from '../../options.js';
import { childEnvironment } from '../../process/child-environment.js';
import { isPackageRunner, willDownload } from '../../process/command/package-runner.js';
import type { ProcessOwner } from '../../process/process-owner.js';
import type { ExitFacts } from '../../process/spawn-server.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { HttpTarget } from '../../session/http/http-transports.js';
import type { InProcessLink } from '../../session/open-in-process-session.js';
import { ConnectionObserver } from '../../session/peer/connection-observer.js';
import type { Session, SessionFacts } from '../../session/session.js';
import type { SessionListeners } from '../../session/session-listeners.js';
import type { StartStep } from '../state/server-state.js';
import { sessionCode } from './session-code.js';
import { pipeDrainMs, StdioStart } from './stdio-start.js';

interface ConnectionHooks extends SessionListeners {
  readonly onStep: (step: StartStep) => void;
  readonly onStderrLine: (line: string) => void;
  readonly onJunk: (text: string) => void;
  readonly onEscaped?: ((pids: readonly number[]) => void) | undefined;
}

export interface ConnectionContext extends ConnectionHooks {
  readonly policy: ManagerPolicy;
  readonly processes: ProcessOwner;
  /** From the last successful start of the same launch. Default: none. */
  readonly lastFacts?: (() => SessionFacts | undefined) | undefined;
  /** The last start of the server had too little time. Default false. */
  readonly wasTooSlow?: boolean | undefined;
}

type HttpServerTarget = Extract<ServerPolicy['target'], { type: 'http' }>;

interface StartLimit {
  readonly timeoutMs: number;
  readonly option: 'limits.startupTimeoutMs' | 'limits.firstRunTimeoutMs';
}

export interface ConnectionEnd {
  readonly isAsked: boolean;
  /** Set when the process has exited. A server may also close its stdout and keep running. */
  readonly exit: ExitFacts | undefined;
  readonly cause?: Error | undefined;
}

/** A closed stdout announces an exit. A server that still runs after this time is treated as lost. */
const exitGraceMs = 2_000;

/**
 * One generation of one server: its process, if any, and its session. `stop` ends everything that `open` began, at any
 * moment.
 */
export class Connection {
  readonly #server: ServerPolicy;
  readonly #context: ConnectionContext;
  readonly #stopping = new AbortController();
  #stdio: StdioStart | undefined;
  #link: InProcessLink | undefined;
  #session: Session | undefined;
  #waitsFor: 'server' | 'auth' = 'server';
  #stopped: Promise<void> | undefined;

  constructor(server: ServerPolicy, context: ConnectionContext) {
    this.#server = server;
    this.#context = context;
  }

  get pid(): number | undefined {
    return this.#stdio?.process?.pid;
  }

  stderrTail(): readonly string[] {
    return this.#stdio?.process?.stderrTail() ?? [];
  }

  /** @throws {ManagerError} With the code of the failed step, and the stderr tail. */
  async open(): Promise<Session> {
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    // Looks at the disk before the process changes it.
    const limit = this.#startLimit();
    const startClock = async (): Promise<void> => {
      const known = await limit;
      if (isOver) return;
      timer ??= setTimeout(() => deadline.abort(this.#tooSlow(known)), known.timeoutMs);
    };
    const signal = AbortSignal.any([deadline.signal, this.#stopping.signal]);
    try {
      this.#session = await this.#openSession(signal, startClock);
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
    const session = this.#session;
    if (!signal.aborted) return session;
    await session.close().catch(() => undefined);
    throw signal.reason;
  }

  /** Settles when an open connection has ended. Never rejects. */
  async ended(session: Session): Promise<ConnectionEnd> {
    const process = this.#stdio?.process;
    await Promise.race(process ? [session.closed, process.exited] : [session.closed]);
    const isAsked = this.#stopping.signal.aborted;
    if (isAsked || !process) return { exit: undefined, isAsked, cause: session.endCause };
    // The other end usually follows at once, with an exit code or a last response.
    const exit = await within(process.exited, exitGraceMs);
    await within(Promise.all([session.closed, process.drained]), pipeDrainMs);
    await session.close().catch(() => undefined);
    return { exit, isAsked };
  }

  kill(): void {
    this.#stdio?.kill();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    const { name, limits } = this.#server;
    this.#stopping.abort(new ManagerError('server-stopping', `Server "${name}" is being stopped`, { server: name }));
    const session = this.#session;
    if (session?.isOpen) session.cancelAll();
    await session?.close().catch(() => undefined); // the process ends in any case
    // An in-process server cannot be killed. The next generation uses a new link.
    const closing = this.#link?.close().catch(() => undefined);
    if (closing) await within(closing, limits.shutdownTimeoutMs);
    await this.#stdio?.stop();
  }

  async #startLimit(): Promise<StartLimit> {
    const { startupTimeoutMs, firstRunTimeoutMs } = this.#server.limits;
    if (startupTimeoutMs >= firstRunTimeoutMs || !(await this.#mayDownload()))
      return { timeoutMs: startupTimeoutMs, option: 'limits.startupTimeoutMs' };
    return { timeoutMs: firstRunTimeoutMs, option: 'limits.firstRunTimeoutMs' };
  }

  /** A package runner may have to download the server, and would repeat that after a kill. */
  async #mayDownload(): Promise<boolean> {
    const { target } = this.#server;
    const { lastFacts, wasTooSlow, policy } = this.#context;
    if (target.type !== 'stdio' || !isPackageRunner(target.command, target.args)) return false;
    // Of the caches of other runners too little is known: an image or a package may be gone again.
    if (lastFacts?.() === undefined || wasTooSlow) return true;
    const env = childEnvironment(target.env, { inherited: policy.environment, platform: process.platform });
    return willDownload(target.command, target.args, { cwd: target.cwd, env });
  }

  #tooSlow({ timeoutMs, option }: StartLimit): ManagerError {
    const { name } = this.#server;
    const what = {
      server: `did not finish its handshake within ${timeoutMs} ms. It may be waiting for input, still installing, or no MCP server;`,
      auth: `received no request: the client manager's "auth" did not respond within ${timeoutMs} ms;`,
    }[this.#waitsFor];
    const message = `Server "${name}" ${what} raise "${option}" if it is only slow.`;
    return new ManagerError('handshake-timed-out', message, { server: name, stderrTail: this.stderrTail() });
  }

  async #openSession(signal: AbortSignal, startClock: () => Promise<void>): Promise<Session> {
    requireSetUp(this.#server);
    const { name, protocol, target } = this.#server;
    const { policy, processes, lastFacts, onStep, onJunk, onStderrLine, onEscaped } = this.#context;
    const { clientInfo, handlers, capabilities, redact, validateOutput, maxMessageBytes } = policy;
    const settings = { clientInfo, handlers, capabilities: capabilities(), redact, validateOutput };
    const options = {
      server: name,
      protocol,
      ...settings,
      signal,
      listeners: this.#context,
      observer: this.#observer(),
    };
    const handshakes = (): void => {
      void startClock();
      onStep('handshake');
    };
    if (target.type === 'in-process') {
      const { InProcessLink } = await sessionCode.inProcess();
      signal.throwIfAborted();
      handshakes();
      this.#link = new InProcessLink();
      return this.#link.open({ ...options, open: target.open, maxMessageBytes, onJunk });
    }
    const launch = await prepareLaunch(name, target, { ...policy, signal });
    signal.throwIfAborted();
    if (launch.type === 'http') {
      const { openHttpSession } = await sessionCode.http();
      signal.throwIfAborted();
      handshakes();
      return openHttpSession({ ...options, lastEra: lastFacts?.()?.era, ...(await this.#httpTarget(launch, signal)) });
    }
    const listeners = { onStderrLine, onEscaped, onSpawned: handshakes };
    this.#stdio = new StdioStart({ server: this.#server, processes, maxMessageBytes, ...listeners });
    return this.#stdio.open(launch, { ...options, onJunk }, lastFacts?.());
  }

  #observer(): ConnectionObserver | undefined {
    const { name: server, target } = this.#server;
    const { telemetry } = this.#context.policy;
    const url = target.type === 'http' ? target.url : undefined;
    return telemetry && new ConnectionObserver(telemetry, { server, transport: target.type, url });
  }

  async #httpTarget(target: HttpServerTarget, signal: AbortSignal): Promise<HttpTarget> {
    const { auth, redact, maxMessageBytes, addedHeaders } = this.#context.policy;
    const { url, headers } = target;
    this.#waitsFor = 'auth';
    const source = await requestAuthSource(auth, authTarget(this.#server.name, target), { signal, redact });
    this.#waitsFor = 'server';
    return { url, headers, source, maxMessageBytes, addedHeaders };
  }
}
