import type { ToolCaller, ToolCallResult } from '@x/internal/contracts';
import { callListener } from '@x/internal/events';
import { isRecord, isSameJson } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import type { Interceptor, RequestResult, ToolView, ViewInterceptors } from '@x/internal/views';
import { callCode } from '../calls/late-calls.js';
import { checkNativeTool, type NativeToolDefinition } from '../catalog/native-tool.js';
import type { NativeTool, ToolEntry } from '../catalog/snapshot.js';

const hook = { kind: 'function' } as const;
const rows = optionTable<Interceptor>()({
  name: { kind: 'text', required: true },
  tools: { kind: 'other' },
  list: hook,
  call: hook,
  result: hook,
  read: hook,
  getPrompt: hook,
  message: hook,
});

/** @throws {TypeError} naming the invalid interceptor. */
export function checkInterceptors(given: unknown): readonly Interceptor[] {
  if (!Array.isArray(given)) throw new TypeError('interceptors must be a list of interceptors');
  for (const [index, each] of given.entries()) rows.read(each, `interceptors[${index}].`);
  return [...given];
}

/**
 * The tools that interceptors answer.
 *
 * @throws {TypeError} naming the invalid field.
 */
export function toolsOf(interceptors: readonly Interceptor[] = []): readonly NativeTool[] {
  return interceptors
    .flatMap(({ tools = [] }) => tools)
    .map((tool) => ({
      definition: checkNativeTool(tool as NativeToolDefinition, unanswered).definition,
      target: { kind: 'intercepted', handler: unanswered },
    }));
}

function unanswered(): never {
  throw new TypeError('The interceptor did not answer');
}

/** The tools as interceptors show them to one role. A tool whose interceptor fails is hidden. */
export class ShownTools {
  readonly #interceptors: readonly Interceptor[];
  readonly #caller: () => ToolCaller;
  readonly #version: () => object;
  #shown = new WeakMap<ToolEntry, ToolEntry | undefined>();
  #of: object | undefined;

  /** @param version - Another object after a change of the rules. */
  constructor(interceptors: readonly Interceptor[], caller: () => ToolCaller, version: () => object) {
    this.#interceptors = interceptors.filter(({ list }) => list !== undefined);
    this.#caller = caller;
    this.#version = version;
  }

  of(entry: ToolEntry): ToolEntry | undefined {
    if (this.#interceptors.length === 0) return entry;
    const version = this.#version();
    if (this.#of !== version) {
      this.#of = version;
      this.#shown = new WeakMap();
    }
    if (!this.#shown.has(entry)) this.#shown.set(entry, this.#show(entry));
    return this.#shown.get(entry);
  }

  #show(entry: ToolEntry): ToolEntry | undefined {
    const caller = this.#caller();
    let view: ToolView | undefined = entry.view;
    for (const interceptor of this.#interceptors) {
      const before: ToolView | undefined = view;
      view = undefined;
      callListener(`The interceptor "${interceptor.name}"`, () => {
        view = before && changedView(before, interceptor.list?.(before, caller));
      });
    }
    return view === entry.view ? entry : view && { ...entry, view };
  }
}

const CHANGEABLE = ['title', 'description', 'inputSchema', 'outputSchema', '_meta'] as const;

function changedView(before: ToolView, after: ToolView | undefined): ToolView | undefined {
  if (after === undefined || after === before) return after;
  if (after instanceof Promise) {
    after.catch(() => undefined);
    throw new TypeError('list() must return the tool itself, got a promise');
  }
  if (!isRecord(after.inputSchema)) throw new TypeError(`list() returned ${before.name} without an inputSchema`);
  const view: Record<string, unknown> = { ...before };
  for (const field of CHANGEABLE) {
    if (after[field] === undefined) delete view[field];
    else view[field] = after[field];
  }
  return isSameJson(view, before) ? before : (Object.freeze(view) as unknown as ToolView);
}

/** The interceptors of one view, for its calls and for gateways. */
export class RequestInterceptors implements ViewInterceptors {
  readonly #interceptors: readonly Interceptor[];
  readonly #caller: (() => ToolCaller) | undefined;
  readonly #last: () => Interceptor | undefined;
  readonly #seesCalls: boolean;

  /** @param last - A further interceptor, for calls, which comes and goes. */
  constructor(
    interceptors: readonly Interceptor[],
    caller: (() => ToolCaller) | undefined,
    last: () => Interceptor | undefined,
  ) {
    this.#interceptors = interceptors;
    this.#caller = caller;
    this.#last = last;
    this.#seesCalls = interceptors.some(({ call, result }) => call ?? result);
  }

  /** True if calls pass an interceptor. */
  get seesCalls(): boolean {
    return this.#seesCalls || this.#last() !== undefined;
  }

  get parts() {
    const last = this.#last();
    const interceptors = last === undefined ? this.#interceptors : [...this.#interceptors, last];
    return { interceptors, caller: this.#caller?.() ?? {} };
  }

  async read(...request: Parameters<ViewInterceptors['read']>): Promise<RequestResult> {
    return (await callCode.load()).interceptRead(this.parts, ...request);
  }

  async getPrompt(...request: Parameters<ViewInterceptors['getPrompt']>): Promise<RequestResult> {
    return (await callCode.load()).interceptPrompt(this.parts, ...request);
  }

  async result(...late: Parameters<ViewInterceptors['result']>): Promise<ToolCallResult> {
    return (await callCode.load()).interceptResult(this.parts, ...late);
  }
}
