import type { ToolSubject } from '@x/internal/views';

const MAX_TASKS_OF_ONE = 1_000;
const MAX_OWNERS = 10_000;

/** A task that a call has become. */
export interface KnownTask {
  readonly server: string;
  /** The server's own id for it. */
  readonly taskId: string;
  /** The tool that it is a call of, which roles are asked about. */
  readonly tool: ToolSubject;
}

interface OwnedTask extends KnownTask {
  readonly owner: string;
  /** The id that its owner knows it by. */
  readonly id: string;
}

/**
 * The tasks that were made for each caller, under the ids that callers know them by. What is not here is no task for
 * anybody, whatever servers would say of it: an id alone must not be enough to read what others have asked for.
 *
 * Of each caller the last 1000 tasks are known, and of callers those 10 000 who have made one last.
 */
export class TaskLedger {
  readonly #byOwner = new Map<string, Map<string, OwnedTask>>();
  readonly #byTask = new Map<string, OwnedTask>();

  add(owner: string, id: string, { server, taskId, tool }: KnownTask): void {
    const task = { server, taskId, tool, owner, id };
    // A server that was started anew may give an id once more: it is not the earlier owner's any longer.
    const earlier = this.#byTask.get(keyOf(task));
    if (earlier !== undefined) this.#drop(earlier);
    const tasks = this.#byOwner.get(owner) ?? new Map<string, OwnedTask>();
    const replaced = tasks.get(id);
    if (replaced !== undefined) this.#drop(replaced);
    this.#byOwner.delete(owner); // to stand last from now on
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

  /** Whose task it is that a server tells of, and how they know it. */
  ownerOf(server: string, taskId: string): OwnedTask | undefined {
    return this.#byTask.get(keyOf({ server, taskId }));
  }

  /** The servers that one caller has tasks of. */
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
