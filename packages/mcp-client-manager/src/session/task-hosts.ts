import { isRecord } from '@x/internal/json';
import type { HostUnderWay } from './host-under-way.js';
import type { Params, RawResult } from './json-rpc.js';
import { relatedTaskKey } from './protocol.js';
import { isTaskId } from './task-id.js';

/** Tasks that are remembered at a time. */
const maxTasks = 1_000;
/** What `tasks/get`, `tasks/cancel` and the notification may say of a task that asks for nothing any more. */
const ended: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** For whom a task was made. `handlers`: for nobody in particular. `several`: two were given the same id. */
export type TaskMaker = HostUnderWay | 'handlers' | 'several';

/**
 * For whom the tasks were made that requests to one session have become, by revision 2025-11-25: a task lives on after the
 * request, and what the server needs for it says which task it is about.
 */
export class TaskHosts {
  /** In the order they were made. */
  readonly #makers = new Map<string, TaskMaker>();

  /** To be called with each result of a request, in the moment in which it is read. @param asker - Of that request. */
  made({ task }: RawResult, asker: HostUnderWay | undefined): void {
    if (!isRecord(task) || !isTaskId(task.taskId) || ended.has(task.status)) return;
    const { taskId } = task;
    const known = this.#makers.get(taskId);
    this.#makers.set(taskId, known && !isSame(known, asker) ? 'several' : (asker?.asTask() ?? 'handlers'));
    if (this.#makers.size <= maxTasks) return;
    const [oldest = ''] = this.#makers.keys();
    this.#makers.delete(oldest);
  }

  find(taskId: unknown): TaskMaker | undefined {
    return isTaskId(taskId) ? this.#makers.get(taskId) : undefined;
  }

  /** To be called with what a server has answered to a request about a task. */
  answered(method: string, { taskId }: Params, { status }: RawResult): void {
    const isAboutOne = method === 'tasks/get' || method === 'tasks/cancel';
    if (method === 'tasks/result' || (isAboutOne && ended.has(status))) this.#forget(taskId);
  }

  /** To be called with each `notifications/tasks/status`. */
  told({ taskId, status }: Params): void {
    if (ended.has(status)) this.#forget(taskId);
  }

  #forget(taskId: unknown): void {
    const maker = this.find(taskId);
    this.#makers.delete(String(taskId));
    if (typeof maker === 'object') maker.leave('answered');
  }
}

/** The id of the task that a request of a server's own is about, whatever it is; `undefined` if it names none. */
export function relatedTask(params: unknown): { readonly taskId: unknown } | undefined {
  const meta = isRecord(params) ? params._meta : undefined;
  const related = isRecord(meta) ? meta[relatedTaskKey] : undefined;
  if (related === undefined) return undefined;
  return { taskId: isRecord(related) ? related.taskId : undefined };
}

function isSame(known: TaskMaker, asker: HostUnderWay | undefined): boolean {
  if (typeof known === 'string') return known === 'handlers' && asker === undefined;
  return asker !== undefined && known.host.client === asker.host.client;
}
