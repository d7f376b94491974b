import { eitherSignal, pause } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { ManagerError } from '../errors.js';
import type { Redact } from '../redaction.js';
import { lostHalfway } from './call-error.js';
import type { Params, RawResult } from './json-rpc.js';
import type { ServerTool, SessionFacts } from './session.js';
import { isTaskId } from './task-id.js';

/** How long a server is asked to keep the task and its result, in milliseconds. */
const ttlMs = 3_600_000;
/** Between two looks at a task: what the server says, within these bounds, in milliseconds. */
const poll = { usual: 1_000, min: 50, max: 30_000 };

/** Whether the tool can be called as a task only, by revision 2025-11-25. */
export function needsTask({ execution }: ServerTool, { capabilities, era }: SessionFacts): boolean {
  const requests = isRecord(capabilities.tasks) ? capabilities.tasks.requests : undefined;
  const offers = isRecord(requests) && isRecord(requests.tools) && requests.tools.call !== undefined;
  return era === 'legacy' && offers && isRecord(execution) && execution.taskSupport === 'required';
}

export interface ToolTaskOptions {
  readonly server: string;
  readonly tool: string;
  /** Of `tools/call`, without `task`. */
  readonly params: Params;
  readonly signal: AbortSignal;
  /** Aborts with the connection, which nobody else would notice between two looks at the task. */
  readonly ended: AbortSignal;
  /** Goes over what the server says in errors. */
  readonly redact: Redact;
  readonly send: (method: string, params: Params, signal: AbortSignal) => Promise<RawResult>;
}

/**
 * Calls a tool as a task: the server answers at once with an id, is asked how it goes until it is done, and then for the
 * result. A call that is given up is cancelled there.
 *
 * @throws {ManagerError} `server-error`: the answer is no task. `cancelled`: the server has cancelled it.
 */
export async function callAsTask({ params, ...options }: ToolTaskOptions): Promise<RawResult> {
  const { send, signal } = options;
  const created = await send('tools/call', { ...params, task: { ttl: ttlMs } }, signal);
  const task = readTask(created.task, options);
  try {
    await untilSettled(task, options);
    // For a task that wants input this also brings the server's requests; it is answered when the task has ended.
    return await send('tasks/result', { taskId: task.taskId }, signal);
  } catch (error) {
    if (signal.aborted) tellCancelled(task, options);
    throw lostHalfway(error as Error);
  }
}

interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage: string | undefined;
  readonly pollMs: number;
}

type Following = Omit<ToolTaskOptions, 'params'>;

async function untilSettled(created: Task, options: Following): Promise<void> {
  using either = eitherSignal(options.signal, options.ended);
  let task = created;
  while (task.status === 'working') {
    await pause(task.pollMs, either.signal);
    task = readTask(await options.send('tasks/get', { taskId: task.taskId }, options.signal), options);
  }
  if (task.status !== 'cancelled') return;
  const { server, tool, redact } = options;
  const why = task.statusMessage === undefined ? '' : `: ${redact(task.statusMessage)}`;
  throw new ManagerError('cancelled', `Server "${server}" cancelled its task for the call of "${tool}"${why}`, {
    server,
  });
}

function tellCancelled({ taskId }: Task, { send }: Following): void {
  // Nobody waits for it any more, so its own time is short; a server that cannot be told has ended.
  send('tasks/cancel', { taskId }, AbortSignal.timeout(5_000)).catch(() => undefined);
}

function readTask(value: unknown, { server, tool }: Following): Task {
  if (isRecord(value) && isTaskId(value.taskId) && typeof value.status === 'string') {
    const { taskId, status, statusMessage, pollInterval } = value;
    const asked = typeof pollInterval === 'number' ? pollInterval : poll.usual;
    const pollMs = Math.min(Math.max(asked, poll.min), poll.max);
    return { taskId, status, statusMessage: typeof statusMessage === 'string' ? statusMessage : undefined, pollMs };
  }
  const message = `Server "${server}" answered the call of "${tool}", which it wants to be a task, with something that is no task.`;
  throw new ManagerError('server-error', message, { server });
}
