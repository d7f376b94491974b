import { isRecord } from '@x/internal/json';
import type { UpstreamResult } from '../upstream.js';

/** Before revision 2026-07-28, tasks were part of the protocol. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const RELATED_TASK_META_KEY = 'io.modelcontextprotocol/related-task';

export function taskIdOf({ resultType, taskId, task }: UpstreamResult): string | undefined {
  const id = resultType === 'task' ? taskId : isRecord(task) ? task.taskId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Returns the id of the task that a message is about. */
export function namedTaskOf({ taskId, _meta: meta }: UpstreamResult): string | undefined {
  if (typeof taskId === 'string') return taskId;
  const related = isRecord(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  return isRecord(related) && typeof related.taskId === 'string' ? related.taskId : undefined;
}

/** Removes empty content, which tool results require and tasks lack. */
export function withoutEmptyContent({ content, ...rest }: UpstreamResult): UpstreamResult {
  return Array.isArray(content) && content.length === 0 ? rest : { ...rest, content };
}

/** Sets the id in all places of the protocol. */
export function withTaskId(result: UpstreamResult, id: string): UpstreamResult {
  const { taskId, task, _meta: meta } = result;
  const related = isRecord(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  return {
    ...result,
    ...(typeof taskId === 'string' && { taskId: id }),
    ...(isRecord(task) && typeof task.taskId === 'string' && { task: { ...task, taskId: id } }),
    ...(isRecord(related) && {
      _meta: { ...(meta as UpstreamResult), [RELATED_TASK_META_KEY]: { ...related, taskId: id } },
    }),
  };
}
