import { eitherSignal, pause } from '@x/internal/async';
import { isRecord } from '@x/internal/json';
import { ManagerError } from '../../errors.js';
import type { Redact } from '../../redaction.js';
import type { Params, RawResult } from '../peer/json-rpc.js';
import { lostHalfway } from '../peer/request-error.js';
import { isTaskId } from '../server-requests/task-callers.js';
import type { ServerTool, SessionFacts } from '../session.js';

/** Requested lifetime of the task and its result. */
const ttlMs = 3_600_000;
/** Polling interval; the bounds apply to the server's `pollInterval`. */
const poll = { usual: 1_000, min: 50, max: 30_000 };

/** True if the tool supports only calls as tasks (revision 2025-11-25). */
export function needsTask({ execution }: ServerTool, { capabilities, era }: SessionFacts): boolean {
  const requests = isRecord(capabilities.tasks) ? capabilities.tasks.requests : undefined;
  const offers = isRecord(requests) && isRecord(requests.tools) && requests.tools.call !== undefined;
  return era === 'legacy' && offers && isRecord(execution) && execution.taskSupport === 'required';
}

interface ToolTaskOptions {
  readonly server: string;
  readonly tool: string;
  readonly params: Params;
  readonly signal: AbortSignal;
  /** Aborts when the connection closes, which ends the pause between polls. */
  readonly ended: AbortSignal;
  readonly redact: Redact;
  readonly send: (method: string, params: Params, signal: AbortSignal) => Promise<RawResult>;
}

/**
 * Creates a task, polls its status until it ends, and requests the result. An aborted call cancels the task.
 *
 * @throws {ManagerError} `server-error`: the response is not a task. `cancelled`: the server cancelled the task.
 */
export async function callAsTask({ params, ...options }: ToolTaskOptions): Promise<RawResult> {
  const { send, signal } = options;
  const created = await send('tools/call', { ...params, task: { ttl: ttlMs } }, signal);
  const task = readTask(created.task, options);
  try {
    await untilSettled(task, options);
    // For status `input_required`, `tasks/result` also delivers the server requests. It completes when the task ends.
    return await send('tasks/result', { taskId: task.taskId }, signal);
  } catch (error) {
    if (signal.aborted) sendCancelled(task, options);
    throw lostHalfway(error as Error);
  }
}

interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage: string | undefined;
  readonly pollMs: number;
}

type TaskContext = Omit<ToolTaskOptions, 'params'>;

async function untilSettled(created: Task, options: TaskContext): Promise<void> {
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

function sendCancelled({ taskId }: Task, { send }: TaskContext): void {
  // The caller has left: short timeout. A failure means a closed connection.
  send('tasks/cancel', { taskId }, AbortSignal.timeout(5_000)).catch(() => undefined);
}

function readTask(value: unknown, { server, tool }: TaskContext): Task {
  if (isRecord(value) && isTaskId(value.taskId) && typeof value.status === 'string') {
    const { taskId, status, statusMessage, pollInterval } = value;
    const requestedMs = typeof pollInterval === 'number' ? pollInterval : poll.usual;
    const pollMs = Math.min(Math.max(requestedMs, poll.min), poll.max);
    return { taskId, status, statusMessage: typeof statusMessage === 'string' ? statusMessage : undefined, pollMs };
  }
  const message = `Server "${server}" did not return a task for the call of "${tool}", which it declares as a task.`;
  throw new ManagerError('server-error', message, { server });
}
