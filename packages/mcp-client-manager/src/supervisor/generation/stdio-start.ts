import { within } from '@x/internal/async';
import { isManagerError, ManagerError } from '../../errors.js';
import type { ProcessOwner } from '../../process/process-owner.js';
import type { ExitFacts, ServerProcess } from '../../process/spawn-server.js';
import type { ServerPolicy } from '../../resolve-spec.js';
import type { StdioSessionOptions } from '../../session/open-stdio-session.js';
import { type Session, type SessionFacts, SessionLostError } from '../../session/session.js';
import { StdioChannel } from '../../transport/stdio-channel.js';
import { sessionCode } from './session-code.js';

type StdioTarget = Extract<ServerPolicy['target'], { type: 'stdio' }>;

interface StdioStartContext {
  readonly server: ServerPolicy;
  readonly processes: ProcessOwner;
  readonly maxMessageBytes: number;
  readonly onStderrLine: (line: string) => void;
  readonly onEscaped?: ((pids: readonly number[]) => void) | undefined;
  readonly onSpawned: () => void;
}

/** Pipes of an exited process may hold a last response and the reason for the exit. A grandchild may keep them open. */
export const pipeDrainMs = 50;

/**
 * A process server until the end of the handshake. Starts a second process if the first exited on a request that only
 * later revisions define.
 */
export class StdioStart {
  readonly #context: StdioStartContext;
  #spawning: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;

  constructor(context: StdioStartContext) {
    this.#context = context;
  }

  get process(): ServerProcess | undefined {
    return this.#process;
  }

  /**
   * @param last - Facts from the last successful start of the same launch.
   * @throws {ManagerError} With the code of the failed step.
   */
  async open(target: StdioTarget, options: StdioSessionOptions, last: SessionFacts | undefined): Promise<Session> {
    if (last?.era !== 'modern') return this.#openOnProcess(target, options);
    try {
      return await this.#openOnProcess(target, { ...options, lastEra: 'modern' });
    } catch (error) {
      if (options.protocol !== 'auto' || !isManagerError(error) || error.code !== 'exited-early') throw error;
    }
    // The server may have been replaced by one that exits on a modern request.
    await this.stop();
    return this.#openOnProcess(target, options);
  }

  kill(): void {
    this.#process?.kill();
  }

  async stop(): Promise<void> {
    const { shutdownTimeoutMs } = this.#context.server.limits;
    const process = await this.#spawning?.catch(() => undefined);
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

  /** A grandchild may keep stdout open, so the channel alone does not reveal the exit. */
  async #exit(process: ServerProcess): Promise<never> {
    await process.exited;
    await within(process.drained, pipeDrainMs);
    throw new SessionLostError('The process exited during the handshake', { sent: true });
  }

  async #earlyEnd(process: ServerProcess, cause: SessionLostError): Promise<ManagerError> {
    const { name } = this.#context.server;
    await within(process.drained, pipeDrainMs);
    const exit = await within(process.exited, 0);
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
