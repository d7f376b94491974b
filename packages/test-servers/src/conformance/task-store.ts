import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  type InputRequests,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { text } from './sample-data.js';

/** Lifetime of a task in milliseconds. */
const ttlMs = 300_000;
const pollIntervalMs = 100;

/** Context of a task's work. */
interface Running {
  /** Aborts when the task is cancelled. */
  readonly signal: AbortSignal;
  /** Waits until the client has responded to all of `requests`. */
  ask(requests: InputRequests): Promise<Record<string, unknown>>;
}

export type Work = (running: Running) => Promise<CallToolResult>;

type TaskState =
  | { readonly status: 'working' }
  | { readonly status: 'input_required'; readonly inputRequests: InputRequests }
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: 'cancelled' };

interface Task {
  readonly id: string;
  readonly createdAt: Date;
  readonly controller: AbortController;
  lastUpdatedAt: Date;
  state: TaskState;
  answer: (responses: Readonly<Record<string, unknown>>) => void;
}

/** Tasks of the tasks extension (SEP-2663). */
export class TaskStore {
  readonly #tasks = new Map<string, Task>();

  /** Starts `work` as a task. */
  create(work: Work) {
    this.#forgetOld();
    const now = new Date();
    const task: Task = {
      id: randomUUID(),
      createdAt: now,
      controller: new AbortController(),
      lastUpdatedAt: now,
      state: { status: 'working' },
      answer: () => undefined,
    };
    this.#tasks.set(task.id, task);
    void run(task, work);
    return { ...describe(task), status: task.state.status };
  }

  /** @throws {ProtocolError} `-32602` when there is no such task. */
  get(id: string) {
    const task = this.#find(id);
    return { ...describe(task), ...task.state };
  }

  /** Passes the client's responses to a task, which ignores unexpected ones. */
  update(id: string, responses: Readonly<Record<string, unknown>>): void {
    this.#find(id).answer(responses);
  }

  /** Does not change a finished task. */
  cancel(id: string): void {
    const task = this.#find(id);
    move(task, { status: 'cancelled' });
    task.controller.abort();
  }

  #find(id: string): Task {
    const task = this.#tasks.get(id);
    if (task === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${id}`);
    return task;
  }

  #forgetOld(): void {
    const oldest = Date.now() - ttlMs;
    for (const [id, { createdAt }] of this.#tasks) if (createdAt.getTime() < oldest) this.#tasks.delete(id);
  }
}

function describe({ id: taskId, createdAt, lastUpdatedAt }: Task) {
  return {
    taskId,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: lastUpdatedAt.toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}

/** Only a protocol error makes the task fail. */
async function run(task: Task, work: Work): Promise<void> {
  try {
    const result = await work({ signal: task.controller.signal, ask: (requests) => ask(task, requests) });
    move(task, { status: 'completed', result });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ProtocolError) move(task, { status: 'failed', error: { code: error.code, message } });
    else move(task, { status: 'completed', result: { content: [text(message)], isError: true } });
  }
}

function ask(task: Task, requests: InputRequests): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  return new Promise((resolve) => {
    const wait = (pending: InputRequests): void => {
      if (Object.keys(pending).length > 0) {
        move(task, { status: 'input_required', inputRequests: pending });
        return;
      }
      task.answer = () => undefined;
      move(task, { status: 'working' });
      resolve(answers);
    };
    task.answer = (responses) => {
      const open = Object.entries(requests).filter(([key]) => !(key in answers) && !(key in responses));
      for (const key of Object.keys(requests)) if (key in responses) answers[key] = responses[key];
      wait(Object.fromEntries(open));
    };
    wait(requests);
  });
}

function move(task: Task, state: TaskState): void {
  if (task.state.status !== 'working' && task.state.status !== 'input_required') return;
  task.state = state;
  task.lastUpdatedAt = new Date();
}
