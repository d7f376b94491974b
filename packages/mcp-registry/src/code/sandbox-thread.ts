import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withResolvers } from '@x/internal/async';
import type { Engine, FromSandbox, ProgramEnd, SandboxData, SandboxLimits, ToSandbox } from './sandbox/messages.js';

/** Time in which the engine notices by itself that a program computes for too long, in milliseconds. */
const GRACE_MS = 250;
const WATCH_MS = 100;
/** Room for the deepest stack that the engine allows. */
const STACK_MB = 16;

/** Receives what one program does. */
export interface ProgramListener {
  onCall(id: number, name: string, json: string): void;
  onLog(line: string): void;
}

/** A thread with an engine for programs, one at a time. Keeps the process alive only during a program. */
export class SandboxThread {
  readonly #meter = new Float64Array(new SharedArrayBuffer(16));
  readonly #limits: SandboxLimits;
  readonly #worker: Worker;
  readonly #exit = withResolvers<never>();
  readonly #ready = withResolvers<void>();
  #listener: ProgramListener | undefined;
  #end: ((end: ProgramEnd) => void) | undefined;
  #isUsable = true;

  constructor(engine: Engine, limits: SandboxLimits) {
    this.#limits = limits;
    this.#worker = new Worker(mainFile(), {
      name: 'mcp-code',
      workerData: { engine, meter: this.#meter, limits } satisfies SandboxData,
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { stackSizeMb: STACK_MB },
      stdout: true,
      stderr: true,
    });
    this.#exit.promise.catch(() => undefined); // `run` and `ready` report it
    this.#worker.on('message', (message: FromSandbox) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The thread of the program ended')));
    this.#worker.unref();
  }

  /** False after a program that the engine did not survive. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Characters that the last program logged, with those that were dropped. */
  get logLength(): number {
    return Math.max((this.#meter[1] ?? 0) - 1, 0);
  }

  async ready(): Promise<void> {
    this.#worker.ref();
    await Promise.race([this.#ready.promise, this.#exit.promise]);
    this.#worker.unref();
  }

  /** @throws The failure of the thread. */
  async run(code: string, listener: ProgramListener): Promise<ProgramEnd> {
    const ended = withResolvers<ProgramEnd>();
    this.#meter[1] = 0;
    this.#listener = listener;
    this.#end = ended.resolve;
    this.#worker.ref();
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    try {
      this.#post({ type: 'run', code });
      return await Promise.race([ended.promise, this.#exit.promise]);
    } finally {
      clearInterval(watch);
      this.#worker.unref();
      this.#listener = undefined;
      this.#end = undefined;
    }
  }

  settle(id: number, isOk: boolean, json: string): void {
    this.#post({ type: 'settle', id, isOk, json });
  }

  async terminate(): Promise<void> {
    this.#isUsable = false;
    await this.#worker.terminate();
  }

  #post(message: ToSandbox): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromSandbox): void {
    if (message.type === 'ready') this.#ready.resolve();
    if (message.type === 'call') this.#listener?.onCall(message.id, message.name, message.json);
    if (message.type === 'log') this.#listener?.onLog(message.line);
    if (message.type === 'end') {
      this.#isUsable &&= message.isReusable;
      this.#end?.(message.end);
    }
  }

  /** Ends what the engine cannot interrupt, such as a search in a long text. */
  #watch(): void {
    const since = this.#meter[0] ?? 0;
    if (since === 0 || Date.now() - since <= this.#limits.maxComputeMs + GRACE_MS) return;
    this.#end?.({ kind: 'computed' });
    void this.terminate();
  }

  #fail(error: unknown): void {
    this.#isUsable = false;
    this.#exit.reject(error);
  }
}

/** A file, since a thread begins with one. */
function mainFile(): string {
  const manifest = createRequire(import.meta.url).resolve('@x/mcp-registry/package.json');
  return join(dirname(manifest), 'dist', 'code', 'sandbox', 'sandbox-main.js');
}
