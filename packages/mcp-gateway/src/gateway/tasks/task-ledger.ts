import type { ToolView } from '@x/internal/views';

const MAX_TASKS_OF_ONE = 1_000;
const MAX_OWNERS = 10_000;

/** A call that has become a task. */
interface KnownTask {
  readonly server: string;
  /** The server's id. */
  readonly taskId: string;
  /** The tool of the call, which roles decide about. */
  readonly tool: ToolView;
}

interface OwnedTask extends KnownTask {
  readonly owner: string;
  /** The owner's id. */
  readonly id: string;
}

/**
 * The tasks of each caller. To all others they do not exist: an id alone must not suffice to read another caller's
 * results. Keeps the last 1000 tasks of a caller, and the 10 000 callers that last created one.
 */
export class TaskLedger {
  readonly #byOwner = new Map<string, Map<string, OwnedTask>>();
  readonly #byTask = new Map<string, OwnedTask>();

  add(owner: string, id: string, { server, taskId, tool }: KnownTask): void {
    const task = { server, taskId, tool, owner, id };
    // A restarted server may reuse an id, which then leaves the earlier owner.
    const earlier = this.#byTask.get(keyOf(task));
    if (earlier !== undefined) this.#drop(earlier);
    const tasks = this.#byOwner.get(owner) ?? new Map<string, OwnedTask>();
    const replaced = tasks.get(id);
    if (replaced !== undefined) this.#drop(replaced);
    this.#byOwner.delete(owner); // moves to the end
    this.#byOwner.set(owner, tasks.set(id, task));
    this.#byTask.set(keyOf(task), task);
    const [oldest] = tasks.values();
    if (tasks.size > MAX_TASKS_OF_ONE && oldest !== undefined) this.#drop(oldest);
    const [idlest] = this.#byOwner.keys();
    if (this.#byOwner.size > MAX_OWNERS && idlest !== undefined) this.forget(idlest);
  }

  find(owner: string, id: string): KnownTask | undefined {
    return this.#byOwner.get(owner)?.get(id);
  }

  ownerOf(server: string, taskId: string): OwnedTask | undefined {
    return this.#byTask.get(keyOf({ server, taskId }));
  }

  serversOf(owner: string): ReadonlySet<string> {
    return new Set(Array.from(this.#byOwner.get(owner)?.values() ?? [], ({ server }) => server));
  }

  forget(owner: string): void {
    for (const task of this.#byOwner.get(owner)?.values() ?? []) this.#byTask.delete(keyOf(task));
    this.#byOwner.delete(owner);
  }

  #drop(task: OwnedTask): void {
    this.#byTask.delete(keyOf(task));
    const tasks = this.#byOwner.get(task.owner);
    if (tasks?.get(task.id) !== task) return;
    tasks.delete(task.id);
    if (tasks.size === 0) this.#byOwner.delete(task.owner);
  }
}

function keyOf({ server, taskId }: Pick<KnownTask, 'server' | 'taskId'>): string {
  return JSON.stringify([server, taskId]);
}
