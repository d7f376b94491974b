import { within } from '@x/internal/async';
import { isManagerError, ManagerError } from '../../errors.js';
import type { ProcessOwner } from '../../process/process-owner.js';
import type { ExitFacts, ServerProcess } from '../../process/spawn-server.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { StdioSessionOptions } from '../../session/open-stdio-session.js';
import { type Session, type SessionFacts, SessionLostError } from '../../session/session.js';
import { StdioChannel } from '../../transport/stdio-channel.js';
import { sessionCode } from './session-code.js';

export type StdioTarget = Extract<ServerPolicy['target'], { type: 'stdio' }>;

export interface StdioStartContext {
  readonly server: ServerPolicy;
  readonly processes: ProcessOwner;
  readonly maxMessageBytes: number;
  readonly onStderrLine: (line: string) => void;
  readonly onEscaped?: ((pids: readonly number[]) => void) | undefined;
  /** Called for each process that is there. */
  readonly onSpawned: () => void;
}

/**
 * How long a process that has exited may take to empty its pipes, in milliseconds: a last answer and the reason for the
 * exit may be in there. A grandchild can hold them open for ever.
 */
export const lastWordsMs = 50;

/**
 * A server that is run as a process, from its spawn to the end of the handshake. Two processes are tried at most: the
 * second one when the first has left because of a question that only a later revision knows.
 */
export class StdioStart {
  readonly #context: StdioStartContext;
  #spawning: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;
  #earlyExit: ExitFacts | undefined;

  constructor(context: StdioStartContext) {
    this.#context = context;
  }

  get process(): ServerProcess | undefined {
    return this.#process;
  }

  /** How the process ended, when that was before the handshake was over. */
  get earlyExit(): ExitFacts | undefined {
    return this.#earlyExit;
  }

  /**
   * @param last - What the server said of itself when this very launch worked last.
   * @throws {ManagerError} With the code of the step that failed.
   */
  async open(target: StdioTarget, options: StdioSessionOptions, last: SessionFacts | undefined): Promise<Session> {
    if (last?.era !== 'modern') return this.#openOnProcess(target, options);
    try {
      return await this.#openOnProcess(target, { ...options, lastEra: 'modern' });
    } catch (error) {
      if (options.protocol !== 'auto' || !isManagerError(error) || error.code !== 'exited-early') throw error;
    }
    // It may be another server than last time, that leaves because of a question that only the later era knows.
    await this.stop();
    this.#earlyExit = undefined;
    return this.#openOnProcess(target, options);
  }

  /** Ends the process with all it has started, also one that is being started. */
  async stop(): Promise<void> {
    const { shutdownTimeoutMs } = this.#context.server;
    const process = await this.#spawning?.catch(() => undefined); // never started: nothing to end
    await process?.stop({ shutdownTimeoutMs });
  }

  async #openOnProcess(target: StdioTarget, options: StdioSessionOptions): Promise<Session> {
    const { maxMessageBytes, onSpawned } = this.#context;
    const process = await this.#spawn(target, options.signal);
    const { openStdioSession } = await sessionCode.stdio();
    options.signal.throwIfAborted();
    onSpawned();
    const { stdin, stdout } = process;
    const channel = new StdioChannel({ stdin, stdout, maxMessageBytes });
    const stderrTail = (): readonly string[] => process.stderrTail();
    const lastStderrAt = (): number => process.lastStderrAt;
    const whole = { ...options, stderrTail, lastStderrAt };
    try {
      return await Promise.race([openStdioSession(channel, whole), this.#exit(process)]);
    } catch (error) {
      throw error instanceof SessionLostError ? await this.#earlyEnd(process, error) : error;
    }
  }

  async #spawn({ type, secrets, ...launch }: StdioTarget, signal: AbortSignal): Promise<ServerProcess> {
    const { server, processes, onStderrLine, onEscaped } = this.#context;
    const { name, logDirectory } = server;
    this.#spawning = processes.spawn({ server: name, ...launch, logDirectory, signal, onStderrLine, onEscaped });
    this.#process = await this.#spawning;
    return this.#process;
  }

  /** A grandchild may hold stdout open, so the channel alone does not tell that the server is gone. */
  async #exit(process: ServerProcess): Promise<never> {
    await process.exited;
    await within(process.drained, lastWordsMs);
    throw new SessionLostError('The process exited during the handshake', { sent: true });
  }

  async #earlyEnd(process: ServerProcess, cause: SessionLostError): Promise<ManagerError> {
    const { name } = this.#context.server;
    await within(process.drained, lastWordsMs);
    const exit = await within(process.exited, 0);
    this.#earlyExit = exit;
    const what = exit ? `exited (${describeExit(exit)})` : 'closed its output';
    const stderrTail = process.stderrTail();
    const lastLines = stderrTail.slice(-3).join(' | ');
    const said = lastLines === '' ? 'It wrote nothing to stderr.' : `Its stderr ends with "${lastLines}".`;
    const message = `Server "${name}" ${what} before the handshake was over. ${said}`;
    return new ManagerError('exited-early', message, { server: name, stderrTail, cause });
  }
}

export function describeExit({ code, signal }: ExitFacts): string {
  return signal === null ? `code ${code}` : `signal ${signal}`;
}
