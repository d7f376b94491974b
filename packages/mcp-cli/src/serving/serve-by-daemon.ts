import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ExitCode, Io } from '../command.js';
import { trustsEverything } from '../consent/obtain-consent.js';
import type { DaemonControl } from '../control/control.js';
import { ControlError, isControlError } from '../control/control-error.js';
import type { ServingEnd, ServingOutput } from '../control/reports.js';
import { ensureDaemon } from '../daemon/ensure-daemon.js';
import { openStream } from '../daemon/find-daemon.js';
import { fit } from '../output/fit.js';
import type { ServeOptions } from './serve-options.js';

/** Idle time after which a daemon that serving has started ends, in milliseconds. */
const idleExitMs = 600_000;

/**
 * Serves a client by the daemon of the config, which is started if there is none. This process passes on bytes: over
 * stdio those of the client, over HTTP only what is printed.
 *
 * @throws {ControlError} The daemon cannot be used, has ended, or has refused.
 */
export async function serveByDaemon(options: ServeOptions, io: Io): Promise<ExitCode> {
  const { config } = options;
  await using control = await ensureDaemon({ config, idleExitMs }, io).catch(nameOtherWay);
  await giveConsent(control, options, io);
  using serving = new CommandServing(control, options, io);
  const { exitCode, byDaemon } = await serving.over;
  if (byDaemon && !io.signal.aborted) throw daemonStopped();
  return exitCode as ExitCode;
}

/** With `MCPX_TRUST=1`: gives consent to the servers that are served, until the daemon ends. */
async function giveConsent(control: DaemonControl, { servers }: ServeOptions, { env, signal }: Io): Promise<void> {
  if (!trustsEverything(env)) return;
  const status = await control.status({ signal });
  const isServed = (name: string): boolean => servers.length === 0 || servers.includes(name);
  const waiting = status.servers.filter((row) => row.waitsForConsent && isServed(row.name)).map(({ name }) => name);
  if (waiting.length > 0) await control.trust({ servers: waiting, signal });
}

/** One request to serve, with the signals and streams of this process. */
class CommandServing implements Disposable {
  readonly over: Promise<ServingEnd>;
  readonly #control: DaemonControl;
  readonly #options: ServeOptions;
  readonly #io: Io;
  readonly #hangup: Disposable | undefined;
  #serving: string | undefined;
  #stream: Promise<void> | undefined;

  constructor(control: DaemonControl, options: ServeOptions, io: Io) {
    this.#control = control;
    this.#options = options;
    this.#io = io;
    this.#hangup = io.onHangup?.(() => this.#send('hangup'));
    io.signal.addEventListener('abort', this.#interrupt, { once: true });
    this.over = this.#run();
  }

  [Symbol.dispose](): void {
    this.#io.signal.removeEventListener('abort', this.#interrupt);
    this.#hangup?.[Symbol.dispose]();
  }

  async #run(): Promise<ServingEnd> {
    const { cwd, env, leaveUnread } = this.#io;
    leaveUnread?.();
    const token = env.MCPX_TOKEN;
    const request = { options: this.#options, cwd, env: token === undefined ? {} : { MCPX_TOKEN: token } };
    try {
      const end = await this.#control.serve({ ...request, onOutput: (output) => this.#receive(output) });
      await this.#stream;
      return end;
    } catch (error) {
      throw isLost(error) ? daemonGone(error) : error;
    }
  }

  #receive(output: ServingOutput): void {
    const { stdout, stderr } = this.#io;
    if ('stderr' in output) stderr.write(fit(output.stderr, stderr));
    else if ('stdout' in output) stdout.write(output.stdout);
    else {
      this.#serving = output.serving;
      if (this.#io.signal.aborted) this.#interrupt();
      else if (output.ticket !== undefined) this.#stream = this.#pipe(output.ticket);
    }
  }

  /** The end of either side ends the serving; its outcome is that of the request. */
  async #pipe(ticket: string): Promise<void> {
    const { stdin, stdout } = this.#io;
    try {
      const stream = await openStream(this.#options, ticket, this.#io);
      stdin.pipe(stream);
      stream.pipe(stdout as unknown as Writable, { end: false });
      await finished(stream, { writable: false });
    } catch {
      this.#interrupt();
    }
  }

  readonly #interrupt = (): void => this.#send('interrupt');

  #send(action: 'interrupt' | 'hangup'): void {
    if (this.#serving === undefined) return;
    this.#control.signalServing({ serving: this.#serving, action }).catch(() => undefined); // the request fails, too
  }
}

/** @throws {ControlError} With a hint, if there can be no daemon, or only one of an incompatible version. */
function nameOtherWay(error: unknown): never {
  if (!isControlError(error) || !(error.code === 'daemon-start-failed' || error.code === 'version-skew')) throw error;
  const { code, message, hint = '', details, retryable } = error;
  const other = 'Add --own-servers to serve without the daemon.';
  throw new ControlError(code, message, { hint: `${hint} ${other}`.trim(), details, retryable, cause: error });
}

function isLost(error: unknown): boolean {
  return isControlError(error) && (error.code === 'daemon-lost' || error.code === 'daemon-unreachable');
}

function daemonGone(cause: unknown): ControlError {
  return new ControlError(
    'daemon-lost',
    'The daemon ended while it served this client. Calls without a response may or may not have had their effect.',
    { hint: 'Start "mcpx serve" again, as hosts do. "mcpx daemon logs" shows why the daemon ended.', cause },
  );
}

function daemonStopped(): ControlError {
  return new ControlError('daemon-not-running', 'The daemon was stopped, and with it the serving of this client.', {
    hint: 'Start "mcpx serve" again to start it.',
  });
}
