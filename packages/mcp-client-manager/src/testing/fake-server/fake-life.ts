import { randomUUID } from 'node:crypto';
import { Replay } from '@x/internal/recording';
import { callsIn, type FakeHistory, startsIn } from './fake-history.js';
import type { FakeAnswer, FakeError, FakeReply, FakeStart } from './fake-server-script.js';
import { type FakeServerPlan, type PlannedTool, resolveTools, type Steps } from './resolve-script.js';

export interface RecordedCall {
  readonly id: string;
  readonly answer: FakeAnswer;
}

export class FakeLife {
  readonly plan: FakeServerPlan;
  readonly start: FakeStart;
  /** Plays the recording, if the plan has one. Its order begins anew at each start. */
  readonly replay: Replay | undefined;
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
    this.replay = plan.recording && new Replay(plan.recording);
  }

  get tools(): readonly PlannedTool[] {
    return this.#tools;
  }

  /** `undefined`: unknown tool. */
  record(name: string, args: Readonly<Record<string, unknown>>): RecordedCall | undefined {
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

  /** @param page - From 1. */
  failsPage(page: number): boolean {
    const { failing } = this.plan.pages ?? {};
    if (failing?.page !== page || this.#pageFailures >= (failing.times ?? Number.POSITIVE_INFINITY)) return false;
    this.#pageFailures += 1;
    return true;
  }
}

/** @param time - From 1. */
function stepAt<T>(steps: Steps<T>, time: number): T {
  return steps[Math.min(time, steps.length) - 1] ?? steps[0];
}

export function toolPage(life: FakeLife, cursor: unknown): { tools: object[]; nextCursor?: string } {
  const { size = Math.max(life.tools.length, 1), cursor: habit = 'plain' } = life.plan.pages ?? {};
  const page = pageOf(cursor);
  if (life.failsPage(page)) throw new RpcFault({ code: -32_603, message: `Page ${page} is broken` });
  const tools = life.tools.slice((page - 1) * size, page * size).map(describe);
  const hasMore = page * size < life.tools.length;
  if (habit === 'repeated') return { tools, nextCursor: 'page-2' };
  if (!hasMore && habit !== 'endless') return { tools };
  return { tools, nextCursor: habit === 'empty-text' && page === 1 ? '' : `page-${page + 1}` };
}

function pageOf(cursor: unknown): number {
  if (cursor === undefined) return 1;
  if (cursor === '') return 2;
  const page = /^page-(\d+)$/.exec(String(cursor))?.[1];
  if (page === undefined) throw new RpcFault({ code: -32_602, message: `Invalid cursor: ${String(cursor)}` });
  return Number(page);
}

function describe({ answers: _, inputSchema = { type: 'object' }, ...tool }: PlannedTool): object {
  return { ...tool, inputSchema };
}

export class RpcFault extends Error {
  readonly error: FakeError;

  constructor(error: FakeError) {
    super(error.message);
    this.error = error;
  }
}
