import { isOnlyForApps } from '@x/internal/app-tools';
import type { CallToolOptions } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { callListener } from '@x/internal/events';
import { CALL_TOOL_NAME, CODE_TOOL_NAME } from '@x/internal/names';
import { type CodeToolView, forProgram, PEEK, type Peekable, peekTool } from '@x/internal/views';
import type { CodePolicy } from './code-options.js';
import { toolFault, toolValue } from './tool-value.js';

/** The program chooses the name. */
const PLAIN_NAME = /^[\w./-]{1,128}$/;

type Settle = (id: number, isOk: boolean, json: string) => void;

interface WaitingCall {
  readonly id: number;
  readonly name: string;
  readonly json: string;
}

/** The calls of one program, all of them through the view. */
export class ProgramCalls {
  readonly #view: CodeToolView;
  readonly #policy: CodePolicy;
  readonly #options: CallToolOptions;
  readonly #settle: Settle;
  readonly #waiting: WaitingCall[] = [];
  readonly #controller = new AbortController();
  #running = 0;
  #done = 0;

  constructor(view: CodeToolView, policy: CodePolicy, options: CallToolOptions, settle: Settle) {
    this.#view = view;
    this.#policy = policy;
    this.#options = options;
    this.#settle = settle;
  }

  /** Calls that have begun or wait, and are not done. */
  get unfinished(): number {
    return this.#running + this.#waiting.length;
  }

  add(id: number, name: string, json: string): void {
    this.#waiting.push({ id, name, json });
    this.#next();
  }

  /** Cancels what is in progress. */
  end(reason: unknown): void {
    this.#waiting.length = 0;
    this.#controller.abort(reason);
  }

  #next(): void {
    if (this.#running >= this.#policy.maxParallelCalls) return;
    const call = this.#waiting.shift();
    if (call !== undefined) void this.#run(call);
  }

  async #run({ id, name, json }: WaitingCall): Promise<void> {
    this.#running += 1;
    const outcome = await this.#outcome(name, json);
    this.#running -= 1;
    if (this.#controller.signal.aborted) return;
    this.#done += 1;
    const { onProgress } = this.#options;
    const progress = { progress: this.#done, ...(PLAIN_NAME.test(name) && { message: name }) };
    if (onProgress) callListener('An onProgress listener', () => onProgress(progress));
    this.#settle(id, outcome.isOk, outcome.json);
    this.#next();
  }

  async #outcome(name: string, json: string): Promise<{ readonly isOk: boolean; readonly json: string }> {
    const { meta, handler } = this.#options;
    const { signal } = this.#controller;
    const options = forProgram({ signal, ...(meta && { meta }), ...(handler && { handler }) });
    try {
      refuseDetour(name, this.#view);
      const result = await this.#view.call(name, JSON.parse(json), options);
      // A task has no content.
      if (result.content === undefined) throw new Error(`${name} began a task, which a program cannot follow`);
      const isOk = result.isError !== true;
      return { isOk, json: JSON.stringify(isOk ? toolValue(result) : toolFault(result)) };
    } catch (error) {
      return { isOk: false, json: JSON.stringify(messageOf(error) || String(error)) };
    }
  }
}

/** @throws {TypeError} The message is for the model. */
function refuseDetour(name: string, view: CodeToolView): void {
  if (name === CALL_TOOL_NAME || name === CODE_TOOL_NAME) {
    throw new TypeError(`A program does not call ${name}: call the tool itself, await tools["NAME"]({ … })`);
  }
  const tool = PEEK in view ? peekTool(view as Peekable, name) : undefined;
  if (tool === undefined || !isOnlyForApps(tool)) return;
  throw new TypeError(`A program does not call ${name}, which is for the app of its server`);
}
