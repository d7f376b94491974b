import { isRecord } from '@x/internal/json';
import type { UpstreamResult } from '../upstream.js';

/** Of the 2026-07-28 revision; before it, tasks were part of the protocol. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const RELATED_TASK_META_KEY = 'io.modelcontextprotocol/related-task';

/** The id of the task that a call has become, if any; its place differs before and since 2026-07-28. */
export function taskIdOf({ resultType, taskId, task }: UpstreamResult): string | undefined {
  const id = resultType === 'task' ? taskId : isRecord(task) ? task.taskId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The id of the task that a message is about; `undefined` if there is none. */
export function namedTaskOf({ taskId, _meta: meta }: UpstreamResult): string | undefined {
  if (typeof taskId === 'string') return taskId;
  const related = isRecord(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  return isRecord(related) && typeof related.taskId === 'string' ? related.taskId : undefined;
}

/** Without the content that tool results require and tasks lack. */
export function withoutEmptyContent({ content, ...rest }: UpstreamResult): UpstreamResult {
  return Array.isArray(content) && content.length === 0 ? rest : { ...rest, content };
}

/** The same with the owner's id for the task, in all places of the protocol. */
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
