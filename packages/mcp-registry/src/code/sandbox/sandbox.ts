import * as nodeModule from 'node:module';
import type { JSException, JSValueHandle, QuickJS } from 'quickjs-wasi';
import { CallBudget } from './call-budget.js';
import type { FromSandbox, ProgramEnd, SandboxData } from './messages.js';
import { PRELUDE, PROGRAM } from './prelude.js';

const MAX_STACK_BYTES = 512 * 1024;
const BAD_FILE = 8;

interface SandboxParts extends SandboxData {
  readonly QuickJS: typeof QuickJS;
  readonly send: (message: FromSandbox) => void;
}

/** An engine with memory of its own for one program. Nothing is shared with other programs. */
export class Sandbox {
  readonly #parts: SandboxParts;
  readonly #vm: QuickJS;
  #start: JSValueHandle | undefined;
  #settle: JSValueHandle | undefined;
  #end: ProgramEnd | undefined;
  #computedMs = 0;
  #startedAt = 0;
  #isInterrupted = false;
  #isBroken = false;
  #waiting = 0;
  #logged = 0;
  readonly #budget: CallBudget;

  private constructor(parts: SandboxParts, vm: QuickJS) {
    this.#parts = parts;
    this.#budget = new CallBudget(parts.limits.maxCalls);
    this.#vm = vm;
  }

  /** Prepares everything that needs no program. */
  static async open(parts: SandboxParts): Promise<Sandbox> {
    let sandbox: Sandbox | undefined;
    const vm = await parts.QuickJS.create({
      wasm: parts.engine.wasm as never,
      memoryLimit: parts.limits.maxMemoryBytes,
      maxStackSize: MAX_STACK_BYTES,
      timezoneOffset: 0,
      interruptHandler: () => sandbox?.isOverTime() ?? false,
      wasi: () => ({ fd_write: () => BAD_FILE }),
    });
    const prepared = new Sandbox(parts, vm);
    prepared.#offer();
    const prelude = vm.evalCode(PRELUDE, 'prelude');
    prepared.#start = prelude.getProp('start');
    prepared.#settle = prelude.getProp('settle');
    sandbox = prepared;
    return sandbox;
  }

  run(code: string): void {
    const text = withoutTypes(`(async () => {${code}\n})`);
    this.#compute(() => {
      const main = this.#vm.evalCode(text, PROGRAM);
      this.#vm.callFunction(this.#start ?? main, this.#vm.undefined, main);
    });
  }

  settle(id: number, isOk: boolean, json: string): void {
    if (this.#end !== undefined) return;
    this.#waiting -= 1;
    this.#compute(() => {
      const vm = this.#vm;
      const text = vm.newString(json);
      if (this.#settle) vm.callFunction(this.#settle, vm.undefined, vm.newNumber(id), isOk ? vm.true : vm.false, text);
      text.dispose();
    });
  }

  isOverTime(): boolean {
    this.#isInterrupted ||= this.#computedMs + Date.now() - this.#startedAt > this.#parts.limits.maxComputeMs;
    return this.#isInterrupted;
  }

  #offer(): void {
    const vm = this.#vm;
    const host = vm.newObject();
    const offer = (name: string, run: (...args: JSValueHandle[]) => unknown) => {
      const callback = vm.newFunction(name, (...args) => {
        try {
          const answer = run(...args);
          return typeof answer === 'string' ? vm.newString(answer) : vm.undefined;
        } catch (error) {
          throw withoutStack(error);
        }
      });
      vm.setProp(host, name, callback);
    };
    offer('send', (id, name, json) => this.#send(numberOf(id), textOf(name), textOf(json)));
    offer('log', (line) => this.#log(textOf(line)));
    offer('end', (kind, text, stack) => this.#finish(textOf(kind), textOf(text), textOf(stack)));
    vm.setProp(vm.global, '__host', host);
  }

  /** Bounded here, because a program may send until its time is over. Returns the reason of a refusal. */
  #send(id: number, name: string, json: string): string | undefined {
    if (this.#end !== undefined) return undefined;
    const refusal = this.#budget.refusalOf(name, json);
    if (refusal !== undefined) return refusal;
    this.#waiting += 1;
    this.#parts.send({ type: 'call', id, name, json });
    return undefined;
  }

  /** Counts what exceeds the budget, and drops it. */
  #log(line: string): void {
    const { maxCharacters } = this.#parts.limits;
    if (this.#end !== undefined) return;
    if (this.#logged <= maxCharacters) this.#parts.send({ type: 'log', line: line.slice(0, maxCharacters) });
    this.#logged += line.length + 1;
    this.#parts.meter[1] = this.#logged;
  }

  #finish(kind: string, text: string, stack: string): void {
    const cut = text.slice(0, this.#parts.limits.maxCharacters);
    this.#end ??=
      kind === 'returned'
        ? { kind, text: cut, length: text.length }
        : { kind: 'threw', message: cut, line: lineOf(stack) };
  }

  /** Runs the program until it waits, and ends it when there is nothing left to wait for. */
  #compute(step: () => void): void {
    this.#startedAt = Date.now();
    this.#parts.meter[0] = this.#startedAt;
    try {
      step();
      this.#vm.executePendingJobs();
    } catch (error) {
      this.#fail(error);
    }
    this.#parts.meter[0] = 0;
    this.#computedMs += Date.now() - this.#startedAt;
    if (this.#isInterrupted) this.#end = { kind: 'computed' };
    if (this.#end === undefined && this.#waiting === 0) this.#end = { kind: 'stuck' };
    if (this.#end !== undefined) this.#parts.send({ type: 'end', end: this.#end, isReusable: !this.#isBroken });
  }

  /** An error of the host itself, such as a full stack of WebAssembly, leaves the engine in an unknown state. */
  #fail(error: unknown): void {
    const { name = 'Error', message = String(error), stack = '' } = Object(error) as Partial<JSException>;
    this.#isBroken = error instanceof RangeError || name === 'RuntimeError';
    this.#end ??= { kind: 'threw', message: `${name}: ${message}`, line: lineOf(stack) };
  }
}

/** The engine shows a program the stack of the host's error, with paths of the host. */
function withoutStack(error: unknown): Error {
  const shown = new Error(Object(error).message);
  shown.stack = '';
  return shown;
}

/** Never converts, which would run code of the program. */
function textOf(handle: JSValueHandle | undefined): string {
  return handle?.isString ? handle.toString() : '';
}

function numberOf(handle: JSValueHandle | undefined): number {
  return handle?.isNumber ? handle.toNumber() : 0;
}

function lineOf(stack: string): number | undefined {
  const line = new RegExp(`\\b${PROGRAM}:(\\d+)`).exec(stack)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** Lines stay where they are. Node 22.13 and later remove types, first of all: `f<T>(a)` is JavaScript, too. */
export function withoutTypes(code: string): string {
  const { stripTypeScriptTypes: strip } = nodeModule as { readonly stripTypeScriptTypes?: (code: string) => string };
  try {
    return strip?.(code) ?? code;
  } catch {
    return code; // the engine reports the fault
  }
}
