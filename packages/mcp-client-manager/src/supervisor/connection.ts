import { ManagerError } from '../errors.js';
import type { ManagerPolicy, ServerPolicy } from '../options.js';
import { childEnvironment } from '../process/child-environment.js';
import { type ExitFacts, type ServerProcess, spawnServer } from '../process/spawn-server.js';
import { openHttpSession } from '../session/open-http-session.js';
import { openStdioSession } from '../session/open-stdio-session.js';
import { type Session, SessionLostError } from '../session/session.js';
import { StdioChannel } from '../transport/stdio-channel.js';
import type { StartStep } from './next-state.js';

export interface ConnectionHooks {
  readonly onStep: (step: StartStep) => void;
  readonly onStderrLine: (line: string) => void;
  readonly onJunk: (text: string) => void;
  readonly onToolsChanged: () => void;
}

export interface ConnectionContext extends ConnectionHooks {
  readonly policy: ManagerPolicy;
  /** Value of the owner marker in the process's environment. */
  readonly owner: string;
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
 * One generation of one server: its process, if it has one, and the session with it. Whatever happens while it opens,
 * `stop` ends all that was begun.
 */
export class Connection {
  readonly #server: ServerPolicy;
  readonly #context: ConnectionContext;
  readonly #stopping = new AbortController();
  #spawning: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;
  #session: Session | undefined;
  #stopped: Promise<void> | undefined;

  constructor(server: ServerPolicy, context: ConnectionContext) {
    this.#server = server;
    this.#context = context;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  stderrTail(): readonly string[] {
    return this.#process?.stderrTail() ?? [];
  }

  /**
   * Spawns and shakes hands within the startup timeout.
   *
   * @throws {ManagerError} With the code of the step that failed, and the stderr tail.
   */
  async open(): Promise<Session> {
    const { name, startupTimeoutMs } = this.#server;
    const deadline = new AbortController();
    const timer = setTimeout(() => {
      const message = `Server "${name}" did not finish its handshake within ${startupTimeoutMs} ms. It may be waiting for input, still installing, or no MCP server; raise the startup timeout if it is only slow.`;
      deadline.abort(new ManagerError('handshake-timed-out', message, { server: name, stderrTail: this.stderrTail() }));
    }, startupTimeoutMs);
    const signal = AbortSignal.any([deadline.signal, this.#stopping.signal]);
    try {
      this.#session = await this.#openSession(signal);
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
    // Whichever came first, the other mostly follows at once, and tells more: an answer, or an exit code.
    await within(lastWordsMs, Promise.all([session.closed, process.drained]));
    const exit = await within(0, process.exited);
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
    const process = await this.#spawning?.catch(() => undefined); // never started: nothing to end
    await process?.stop({ shutdownTimeoutMs });
  }

  async #openSession(signal: AbortSignal): Promise<Session> {
    const { name, protocol, target } = this.#server;
    const { policy, onToolsChanged, onStep, onJunk } = this.#context;
    const options = { server: name, protocol, clientInfo: policy.clientInfo, signal, onToolsChanged };
    if (target.type === 'http') {
      onStep('handshake');
      return openHttpSession({ ...options, url: target.url, headers: target.headers });
    }
    const process = await this.#spawn(target);
    signal.throwIfAborted();
    onStep('handshake');
    const { stdin, stdout } = process;
    const channel = new StdioChannel({ stdin, stdout, maxMessageBytes: policy.maxMessageBytes });
    try {
      return await Promise.race([openStdioSession(channel, { ...options, onJunk }), this.#earlyExit(process)]);
    } catch (error) {
      throw error instanceof SessionLostError ? await this.#earlyEnd(process, error) : error;
    }
  }

  async #spawn({
    command,
    args,
    env,
    cwd,
  }: Extract<ServerPolicy['target'], { type: 'stdio' }>): Promise<ServerProcess> {
    const { policy, owner, onStderrLine } = this.#context;
    const inherited = policy.environment;
    const environment = childEnvironment(env, { inherited, platform: process.platform, owner });
    this.#spawning = spawnServer({ server: this.#server.name, command, args, environment, cwd, onStderrLine });
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
