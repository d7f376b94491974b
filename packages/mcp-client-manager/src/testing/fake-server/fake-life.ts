import { randomUUID } from 'node:crypto';
import { callsIn, type FakeHistory, startsIn } from './fake-history.js';
import type { FakeAnswer, FakeReply, FakeStart } from './fake-server-script.js';
import { type FakeServerPlan, type PlannedTool, resolveTools, type Steps } from './resolve-script.js';

export interface TakenCall {
  /** Tells it from every other call in the history. */
  readonly id: string;
  readonly answer: FakeAnswer;
}

/** What a fake server knows from one start to its end, whoever it talks to. */
export class FakeLife {
  readonly plan: FakeServerPlan;
  /** How this start goes. */
  readonly start: FakeStart;
  readonly #history: FakeHistory;
  readonly #number: number;
  readonly #listeners = new Set<() => void>();
  #tools: readonly PlannedTool[];
  #pageFailures = 0;

  constructor(plan: FakeServerPlan, history: FakeHistory) {
    history.add({ type: 'started', pid: process.pid });
    this.#number = startsIn(history.entries()).length;
    this.plan = plan;
    this.start = stepAt(plan.starts, this.#number);
    this.#history = history;
    this.#tools = plan.tools;
  }

  get tools(): readonly PlannedTool[] {
    return this.#tools;
  }

  /** Writes a call down and tells how it goes. `undefined`: there is no such tool. */
  take(name: string, args: Readonly<Record<string, unknown>>): TakenCall | undefined {
    const id = randomUUID();
    this.#history.add({ type: 'called', id, tool: name, arguments: args, start: this.#number });
    const tool = this.#tools.find((each) => each.name === name);
    if (!tool) return undefined;
    const calls = callsIn(this.#history.entries()).filter((call) => call.tool === name).length;
    return { id, answer: stepAt(tool.answers, calls) };
  }

  cancelled(id: string): void {
    this.#history.add({ type: 'cancelled', id });
  }

  change({ adds = [], removes = [], announcements }: FakeReply): void {
    const isChange = adds.length > 0 || removes.length > 0;
    this.#tools = [...this.#tools.filter(({ name }) => !removes.includes(name)), ...resolveTools(adds, 'adds')];
    for (let sent = 0; sent < (announcements ?? (isChange ? 1 : 0)); sent += 1) {
      for (const listener of this.#listeners) listener();
    }
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether this page, from 1, is to be answered with an error now. */
  failsPage(page: number): boolean {
    const { failing } = this.plan.pages ?? {};
    if (failing?.page !== page || this.#pageFailures >= (failing.times ?? Number.POSITIVE_INFINITY)) return false;
    this.#pageFailures += 1;
    return true;
  }
}

/** The step for the n-th time, from 1. */
function stepAt<T>(steps: Steps<T>, time: number): T {
  return steps[Math.min(time, steps.length) - 1] ?? steps[0];
}
