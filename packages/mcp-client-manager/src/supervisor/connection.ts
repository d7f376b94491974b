import { isManagerError, ManagerError } from '../errors.js';
import type { ManagerPolicy } from '../options.js';
import { isPackageRunner } from '../process/package-runner.js';
import type { ProcessHost } from '../process/process-host.js';
import type { ExitFacts, ServerProcess } from '../process/spawn-server.js';
import type { ServerPolicy } from '../resolve-spec.js';
import type { HttpTarget } from '../session/http-transports.js';
import { openHttpSession } from '../session/open-http-session.js';
import { InProcessLink } from '../session/open-in-process-session.js';
import { openStdioSession, type StdioSessionOptions } from '../session/open-stdio-session.js';
import { type Session, type SessionFacts, SessionLostError } from '../session/session.js';
import type { SessionListeners } from '../session/session-listeners.js';
import { StdioChannel } from '../transport/stdio-channel.js';
import type { StartStep } from './server-state.js';

export interface ConnectionHooks extends SessionListeners {
  readonly onStep: (step: StartStep) => void;
  readonly onStderrLine: (line: string) => void;
  readonly onJunk: (text: string) => void;
  /** After a stop: processes of the server that have left its process group and still run. */
  readonly onEscaped?: ((pids: readonly number[]) => void) | undefined;
}

export interface ConnectionContext extends ConnectionHooks {
  readonly policy: ManagerPolicy;
  readonly processes: ProcessHost;
  /** What the server said of itself when this very launch worked last; `undefined` when it never has. Default: never. */
  readonly lastFacts?: (() => SessionFacts | undefined) | undefined;
}

type StdioTarget = Extract<ServerPolicy['target'], { type: 'stdio' }>;

interface ProcessSessionOptions extends StdioSessionOptions {
  /** To be called when there is a process: from then on the startup timeout runs. */
  readonly startClock: () => void;
}

/** How a connection ended. */
export interface ConnectionEnd {
  /** Whether `stop` ended it. */
  readonly isAsked: boolean;
  /** Present when the process has exited; a server may also close its stdout and go on running. */
  readonly exit: ExitFacts | undefined;
}

/**
 * How long a process that has exited may take to empty its pipes, in milliseconds: a last answer and the reason for the
 * exit may be in there. A grandchild can hold them open for ever.
 */
const lastWordsMs = 50;
/**
 * How long a server that has closed its stdout may take to exit, in milliseconds. That is how a server says that it is
 * leaving; one that is still there after this is taken for gone and ended.
 */
const exitGraceMs = 2_000;

/**
 * One generation of one server: its process, if it has one, and the session with it. Whatever happens while it opens,
 * `stop` ends all that was begun.
 */
export class Connection {
  readonly #server: ServerPolicy;
  readonly #context: ConnectionContext;
  readonly #stopping = new AbortController();
  #spawning: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;
  #link: InProcessLink | undefined;
  #session: Session | undefined;
  #stopped: Promise<void> | undefined;
  #earlyExitFacts: ExitFacts | undefined;

  constructor(server: ServerPolicy, context: ConnectionContext) {
    this.#server = server;
    this.#context = context;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** How the process ended, when that was before the handshake was over. */
  get earlyExit(): ExitFacts | undefined {
    return this.#earlyExitFacts;
  }

  stderrTail(): readonly string[] {
    return this.#process?.stderrTail() ?? [];
  }

  /**
   * Spawns, and shakes hands within the startup timeout.
   *
   * @throws {ManagerError} With the code of the step that failed, and the stderr tail.
   */
  async open(): Promise<Session> {
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const startClock = (): void => {
      const timeoutMs = this.#startTimeoutMs();
      timer ??= setTimeout(() => deadline.abort(this.#tooSlow(timeoutMs)), timeoutMs);
    };
    const signal = AbortSignal.any([deadline.signal, this.#stopping.signal]);
    try {
      this.#session = await this.#openSession(signal, startClock);
    } finally {
      clearTimeout(timer);
    }
    if (!signal.aborted) return this.#session;
    await this.#session.close().catch(() => undefined); // it came too late
    throw signal.reason;
  }

  /** Settles when an open connection has ended. Never rejects. */
  async ended(session: Session): Promise<ConnectionEnd> {
    const process = this.#process;
    await Promise.race(process ? [session.closed, process.exited] : [session.closed]);
    const isAsked = this.#stopping.signal.aborted;
    if (isAsked || !process) return { exit: undefined, isAsked };
    // Whichever came first, the other mostly follows at once, and tells more: an exit code, or an answer.
    const exit = await within(exitGraceMs, process.exited);
    await within(lastWordsMs, Promise.all([session.closed, process.drained]));
    await session.close().catch(() => undefined); // it is over already
    return { exit, isAsked };
  }

  /** Ends the session and the process with all it started. Joins a stop that is under way. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    const { name, shutdownTimeoutMs } = this.#server;
    this.#stopping.abort(new ManagerError('server-stopping', `Server "${name}" is being stopped`, { server: name }));
    await this.#session?.close().catch(() => undefined); // what counts is that the process goes
    // A server of this process cannot be killed; the next one is a link of its own.
    if (this.#link)
      await within(
        shutdownTimeoutMs,
        this.#link.close().catch(() => undefined),
      );
    const process = await this.#spawning?.catch(() => undefined); // never started: nothing to end
    await process?.stop({ shutdownTimeoutMs });
  }

  /** A package runner may have to download the server first; it would begin anew if it were killed over that. */
  #startTimeoutMs(): number {
    const { target, startupTimeoutMs, firstRunTimeoutMs } = this.#server;
    if (target.type !== 'stdio' || !isPackageRunner(target.command, target.args)) return startupTimeoutMs;
    return this.#context.lastFacts?.() ? startupTimeoutMs : Math.max(firstRunTimeoutMs, startupTimeoutMs);
  }

  #tooSlow(timeoutMs: number): ManagerError {
    const { name } = this.#server;
    const message = `Server "${name}" did not finish its handshake within ${timeoutMs} ms. It may be waiting for input, still installing, or no MCP server; raise the startup timeout if it is only slow.`;
    return new ManagerError('handshake-timed-out', message, { server: name, stderrTail: this.stderrTail() });
  }

  async #openSession(signal: AbortSignal, startClock: () => void): Promise<Session> {
    const { name, protocol, target } = this.#server;
    const { policy, onStep, onJunk } = this.#context;
    const { clientInfo, handlers, validateOutput } = policy;
    const options = { server: name, protocol, clientInfo, handlers, validateOutput, signal, listeners: this.#context };
    if (target.type === 'http') {
      startClock();
      onStep('handshake');
      return openHttpSession({ ...options, ...this.#httpTarget(target) });
    }
    if (target.type === 'in-process') {
      startClock();
      onStep('handshake');
      this.#link = new InProcessLink();
      return this.#link.open({ ...options, open: target.open, maxMessageBytes: policy.maxMessageBytes, onJunk });
    }
    return this.#openStdio(target, { ...options, onJunk, startClock });
  }

  async #openStdio(target: StdioTarget, options: ProcessSessionOptions): Promise<Session> {
    const lastEra = this.#context.lastFacts?.()?.era;
    if (lastEra !== 'modern') return this.#openOnProcess(target, options);
    try {
      return await this.#openOnProcess(target, { ...options, lastEra });
    } catch (error) {
      if (options.protocol !== 'auto' || !isManagerError(error) || error.code !== 'exited-early') throw error;
    }
    // It may be another server than last time, that leaves because of a question that only the later era knows.
    await this.#process?.stop({ shutdownTimeoutMs: this.#server.shutdownTimeoutMs });
    this.#earlyExitFacts = undefined;
    options.signal.throwIfAborted();
    return this.#openOnProcess(target, options);
  }

  async #openOnProcess(target: StdioTarget, { startClock, ...options }: ProcessSessionOptions): Promise<Session> {
    const process = await this.#spawn(target);
    options.signal.throwIfAborted();
    startClock();
    this.#context.onStep('handshake');
    const { stdin, stdout } = process;
    const { maxMessageBytes } = this.#context.policy;
    const channel = new StdioChannel({ stdin, stdout, maxMessageBytes });
    try {
      return await Promise.race([openStdioSession(channel, options), this.#earlyExit(process)]);
    } catch (error) {
      throw error instanceof SessionLostError ? await this.#earlyEnd(process, error) : error;
    }
  }

  #httpTarget({ url, headers, auth }: Extract<ServerPolicy['target'], { type: 'http' }>): HttpTarget {
    const { policy } = this.#context;
    const { name } = this.#server;
    const source = policy.auth?.({ name, url, provider: auth?.provider, scopes: auth?.scopes ?? [] });
    return { url, headers, source, maxMessageBytes: policy.maxMessageBytes };
  }

  async #spawn({ type, ...launch }: StdioTarget): Promise<ServerProcess> {
    const { processes, onStderrLine, onEscaped } = this.#context;
    this.#spawning = processes.spawn({ server: this.#server.name, ...launch, onStderrLine, onEscaped });
    this.#process = await this.#spawning;
    return this.#process;
  }

  /** A grandchild may hold stdout open, so the channel alone does not tell that the server is gone. */
  async #earlyExit(process: ServerProcess): Promise<never> {
    await process.exited;
    await within(lastWordsMs, process.drained);
    throw new SessionLostError('The process exited during the handshake', { sent: true });
  }

  async #earlyEnd(process: ServerProcess, cause: SessionLostError): Promise<ManagerError> {
    const { name } = this.#server;
    await within(lastWordsMs, process.drained);
    const exit = await within(0, process.exited);
    this.#earlyExitFacts = exit;
    const what = exit ? `exited (${describeExit(exit)})` : 'closed its output';
    const stderrTail = process.stderrTail();
    const lastLines = stderrTail.slice(-3).join(' | ');
    const said = lastLines === '' ? 'It wrote nothing to stderr.' : `Its stderr ends with "${lastLines}".`;
    return new ManagerError('exited-early', `Server "${name}" ${what} before the handshake was over. ${said}`, {
      server: name,
      stderrTail,
      cause,
    });
  }
}

export function describeExit({ code, signal }: ExitFacts): string {
  return signal === null ? `code ${code}` : `signal ${signal}`;
}

/** What `promise` brings within `ms` milliseconds, else `undefined`. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
