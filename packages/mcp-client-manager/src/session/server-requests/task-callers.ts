import { isRecord } from '@x/internal/json';
import type { Params, RawResult } from '../peer/json-rpc.js';
import { relatedTaskKey } from '../protocol.js';
import type { ActiveCaller } from './active-caller.js';

const maxTasks = 1_000;
/** Such a task causes no further server requests. */
const ended: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** `handlers`: the task's request had no handler. `several`: two tasks have the same id. */
type TaskCaller = ActiveCaller | 'handlers' | 'several';

/**
 * Callers of the tasks of one session (revision 2025-11-25). Server requests name their task, which outlives its
 * request.
 */
export class TaskCallers {
  /** Oldest first. */
  readonly #callers = new Map<string, TaskCaller>();

  /** Must run when the result is read: the next message may name the task. */
  onResult({ task }: RawResult, caller: ActiveCaller | undefined): void {
    if (!isRecord(task) || !isTaskId(task.taskId) || ended.has(task.status)) return;
    const { taskId } = task;
    const known = this.#callers.get(taskId);
    this.#callers.set(taskId, known && !isSame(known, caller) ? 'several' : (caller?.asTask() ?? 'handlers'));
    if (this.#callers.size <= maxTasks) return;
    const [oldest = ''] = this.#callers.keys();
    this.#callers.delete(oldest);
  }

  find(taskId: unknown): TaskCaller | undefined {
    return isTaskId(taskId) ? this.#callers.get(taskId) : undefined;
  }

  onTaskResult(method: string, { taskId }: Params, { status }: RawResult): void {
    const isAboutOne = method === 'tasks/get' || method === 'tasks/cancel';
    if (method === 'tasks/result' || (isAboutOne && ended.has(status))) this.#forget(taskId);
  }

  onStatus({ taskId, status }: Params): void {
    if (ended.has(status)) this.#forget(taskId);
  }

  #forget(taskId: unknown): void {
    const caller = this.find(taskId);
    this.#callers.delete(String(taskId));
    if (typeof caller === 'object') caller.end('answered');
  }
}

/** `undefined`: the request names no task. */
export function relatedTask(params: unknown): { readonly taskId: unknown } | undefined {
  const meta = isRecord(params) ? params._meta : undefined;
  const related = isRecord(meta) ? meta[relatedTaskKey] : undefined;
  if (related === undefined) return undefined;
  return { taskId: isRecord(related) ? related.taskId : undefined };
}

function isSame(known: TaskCaller, caller: ActiveCaller | undefined): boolean {
  if (typeof known === 'string') return known === 'handlers' && caller === undefined;
  return caller !== undefined && known.handler.client === caller.handler.client;
}

/** Ids stay in memory while their tasks live, and are part of each request about them. */
const maxTaskIdBytes = 4_096;

export function isTaskId(value: unknown): value is string {
  // The first check avoids counting the bytes of very long ids.
  return typeof value === 'string' && value.length <= maxTaskIdBytes && Buffer.byteLength(value) <= maxTaskIdBytes;
}
