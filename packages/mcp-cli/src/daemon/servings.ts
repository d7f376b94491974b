import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ElicitationFallback } from '@x/mcp-gateway';
import type { Io } from '../command.js';
import type { Stack } from '../compose.js';
import type { LiveConfig } from '../config/live-config.js';
import type { DaemonHandlers } from '../control/control.js';
import type { ServingOutput } from '../control/reports.js';
import type { ByteStreams } from './connection/byte-streams.js';
import type { DaemonTelemetry } from './daemon-telemetry.js';

interface ServingsOptions {
  readonly stack: Stack;
  readonly live: LiveConfig;
  readonly attendants: ElicitationFallback;
  readonly telemetry: Pick<DaemonTelemetry, 'late' | 'metrics'>;
  readonly streams: ByteStreams;
  readonly io: Pick<Io, 'stateDirectory' | 'keyStore'>;
  /** Aborts when the daemon begins to stop. */
  readonly draining: AbortSignal;
}

interface Open {
  readonly interruption: AbortController;
  readonly hangup: Set<() => void>;
  readonly over: Promise<unknown>;
}

type Request = Parameters<DaemonHandlers['serve']>[0];

/** Clients of `mcpx serve` that this daemon serves. */
export class Servings {
  readonly #options: ServingsOptions;
  readonly #open = new Map<string, Open>();

  constructor(options: ServingsOptions) {
    this.#options = options;
  }

  /** Number of clients that are served now. */
  get count(): number {
    return this.#open.size;
  }

  /** Resolves when those of now are over. Never rejects. */
  async over(): Promise<void> {
    await Promise.allSettled(Array.from(this.#open.values(), ({ over }) => over));
  }

  readonly serve: DaemonHandlers['serve'] = async (request) => {
    const { draining } = this.#options;
    const id = randomUUID();
    const interruption = new AbortController();
    const hangup = new Set<() => void>();
    const interrupt = (): void => interruption.abort(new Error('the serving is interrupted'));
    const { signal = draining } = request;
    signal.addEventListener('abort', interrupt);
    draining.addEventListener('abort', interrupt);
    const over = this.#run(id, request, { interruption, hangup });
    this.#open.set(id, { interruption, hangup, over });
    try {
      return { exitCode: await over, byDaemon: draining.aborted };
    } finally {
      this.#open.delete(id);
      draining.removeEventListener('abort', interrupt);
      signal.removeEventListener('abort', interrupt);
    }
  };

  readonly signal: DaemonHandlers['signalServing'] = async ({ serving, action }) => {
    const open = this.#open.get(serving);
    if (open === undefined) return; // it is over
    if (action === 'interrupt') open.interruption.abort(new Error('a signal requested it'));
    else for (const listener of open.hangup) listener();
  };

  async #run(id: string, request: Request, { interruption, hangup }: Omit<Open, 'over'>): Promise<number> {
    const { options, cwd, env, onOutput = () => undefined } = request;
    const { stack, live, attendants, telemetry, streams, io } = this.#options;
    const observed = { telemetry: telemetry.late, metrics: () => telemetry.metrics() };
    const { signal } = interruption;
    const expected = options.http === true ? undefined : streams.expect(signal);
    onOutput({ serving: id, ticket: expected?.ticket });
    const [{ serveDaemonStack }, stream] = await Promise.all([
      import('../serving/serve-daemon-stack.js'),
      expected?.stream,
    ]);
    const onHangup = (listener: () => void): Disposable => {
      hangup.add(listener);
      return { [Symbol.dispose]: () => void hangup.delete(listener) };
    };
    try {
      const served = { ...io, ...ioOf(onOutput, stream), cwd, env, signal, gone: request.signal, onHangup };
      return await serveDaemonStack({ stack, live, observed, attendants }, options, served);
    } finally {
      stream?.end();
    }
  }
}

function ioOf(
  onOutput: (output: ServingOutput) => void,
  stream: Socket | undefined,
): Pick<Io, 'stdin' | 'stdout' | 'stderr'> {
  return {
    stdin: stream ?? Readable.from([]),
    stdout: stream ?? { write: (text) => onOutput({ stdout: text }) },
    stderr: { write: (text) => onOutput({ stderr: text }) },
  };
}
