import { readFile } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import type { AsyncDisposable, CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorPayload } from '@x/internal/error-payloads';
import { codeOf } from '@x/internal/files';
import { type CodeTool, type CodeToolView, interceptorsOf } from '@x/internal/views';
import { RegistryError } from '../errors.js';
import { type CodeOptions, type CodePolicy, resolveCode } from './code-options.js';
import { codeToolView, readCode } from './code-tool.js';
import { busyAnswer, type ProgramOutcome, programAnswer } from './program-answer.js';
import { ProgramCalls } from './program-calls.js';
import type { Engine } from './sandbox/messages.js';
import { SandboxThread } from './sandbox-thread.js';

/** Runs programs that call tools. Made once for an app or a gateway, for all views and callers. */
export interface CodeRunner extends CodeTool, AsyncDisposable {
  /** Ends all programs. Further ones are refused. */
  close(): Promise<void>;
}

/**
 * Opens the engine for `execute_mcp_code`: QuickJS in WebAssembly, in threads of its own. Needs Node, and the package
 * `quickjs-wasi`.
 *
 * @throws {RegistryError} `missing-package`.
 * @throws {TypeError} naming the option that is unknown or out of bounds.
 */
export async function openCodeRunner(options?: CodeOptions): Promise<CodeRunner> {
  const policy = resolveCode(options);
  const runner = new ThreadRunner(policy, await loadEngine());
  await runner.warmUp();
  return runner;
}

class ThreadRunner implements CodeRunner {
  readonly tool = codeToolView('stripTypeScriptTypes' in nodeModule ? 'TypeScript' : 'JavaScript');
  readonly #policy: CodePolicy;
  readonly #engine: Engine;
  /** With the caller of each program. */
  readonly #running = new Map<SandboxThread, unknown>();
  /** A thread that waits for the next program, so that it begins at once. */
  #idle: SandboxThread | undefined;
  #isClosed = false;

  constructor(policy: CodePolicy, engine: Engine) {
    this.#policy = policy;
    this.#engine = engine;
  }

  async warmUp(): Promise<void> {
    this.#idle = this.#newThread();
    await this.#idle.ready();
  }

  async run(view: CodeToolView, args: ToolArguments, options: CallToolOptions): Promise<ToolCallResult> {
    const { signal } = options;
    signal?.throwIfAborted();
    let code: string;
    try {
      code = readCode(args);
    } catch (error) {
      return toErrorPayload(error);
    }
    const caller = callerOf(view, options);
    const busy = this.#busyFor(caller);
    if (busy !== undefined) return busy;
    if (this.#isClosed) throw new RegistryError('closed', 'The code runner is closed');
    const thread = this.#idle ?? this.#newThread();
    this.#idle = undefined;
    this.#running.set(thread, caller);
    try {
      const answer = await this.#runOn(thread, code, view, options);
      // A model reads what a program makes of results that were whole for it.
      return (await interceptorsOf(view)?.result(answer, this.tool)) ?? answer;
    } finally {
      this.#running.delete(thread);
      this.#release(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = [...this.#running.keys(), ...(this.#idle === undefined ? [] : [this.#idle])];
    this.#idle = undefined;
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #runOn(thread: SandboxThread, code: string, view: CodeToolView, options: CallToolOptions) {
    const { timeoutMs } = this.#policy;
    const log: string[] = [];
    const calls = new ProgramCalls(view, this.#policy, options, (...settled) => thread.settle(...settled));
    const ended = thread.run(code, { onCall: (...call) => calls.add(...call), onLog: (line) => log.push(line) });
    const limitMs = Math.min(timeoutMs, options.timeoutMs ?? timeoutMs);
    const outcome = await outcomeOf(ended, limitMs, options.signal);
    const { unfinished } = calls;
    calls.end(options.signal?.aborted ? options.signal.reason : new Error('The program has ended'));
    if (outcome.kind === 'timed-out' || outcome.kind === 'aborted') await thread.terminate();
    if (outcome.kind === 'aborted') throw options.signal?.reason;
    if (outcome.kind === 'crashed' && this.#isClosed) throw new RegistryError('closed', 'The code runner is closed');
    return programAnswer(
      outcome,
      { log, logLength: thread.logLength, unfinished },
      { ...this.#policy, timeoutMs: limitMs },
    );
  }

  #busyFor(caller: unknown): ToolCallResult | undefined {
    const { maxPrograms, maxProgramsPerCaller } = this.#policy;
    if (this.#running.size >= maxPrograms)
      return busyAnswer(`${maxPrograms} programs are running, which is the limit.`);
    if (caller === undefined) return undefined;
    const own = Array.from(this.#running.values()).filter((other) => other === caller).length;
    if (own < maxProgramsPerCaller) return undefined;
    return busyAnswer(`This client has ${own} ${own === 1 ? 'program' : 'programs'} running, which is its limit.`);
  }

  #release(thread: SandboxThread): void {
    if (!thread.isUsable || this.#isClosed || this.#idle !== undefined) void thread.terminate();
    else this.#idle = thread;
    if (this.#idle === undefined && !this.#isClosed) this.#idle = this.#newThread();
  }

  #newThread(): SandboxThread {
    const { maxComputeMs, maxMemoryBytes, maxCalls, maxOutputCharacters: maxCharacters } = this.#policy;
    return new SandboxThread(this.#engine, { maxComputeMs, maxMemoryBytes, maxCalls, maxCharacters });
  }
}

/** The owner of the client, otherwise the principal. `undefined`: unknown. */
function callerOf(view: CodeToolView, { handler }: CallToolOptions): unknown {
  return handler?.owner ?? interceptorsOf(view)?.parts.caller.principal ?? handler?.client;
}

/** The first of the program's end, the end of its time, and the caller's abort. */
async function outcomeOf(
  ended: Promise<ProgramOutcome>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ProgramOutcome | { readonly kind: 'aborted' }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = (): void => undefined;
  const stopped = new Promise<{ readonly kind: 'timed-out' | 'aborted' }>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, { kind: 'timed-out' });
    abort = () => resolve({ kind: 'aborted' });
    signal?.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([ended.catch(() => ({ kind: 'crashed' }) as const), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** @throws {RegistryError} `missing-package`. */
async function loadEngine(): Promise<Engine> {
  const { WebAssembly } = globalThis as unknown as {
    readonly WebAssembly: { compile(bytes: Uint8Array): Promise<object> };
  };
  const wasm = await WebAssembly.compile(await readFile(engineFile('quickjs-wasi/quickjs.wasm')));
  return { url: pathToFileURL(engineFile('quickjs-wasi')).href, wasm };
}

function engineFile(name: string): string {
  try {
    return nodeModule.createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    if (codeOf(cause) !== 'MODULE_NOT_FOUND') throw cause;
    const message = 'Programs that call tools need the package quickjs-wasi. Run "npm install quickjs-wasi".';
    throw new RegistryError('missing-package', message, { cause });
  }
}
