import { callListener } from '@x/internal/events';
import { isRecord } from '@x/internal/json';
import { optionTable, refusePromise } from '@x/internal/options';
import { isManagerError, ManagerError, unknownServer } from '../errors.js';
import { resolveSpec, type ServerPolicy } from '../resolve-spec.js';
import type { ServerSpec, ServerSpecs } from '../spec.js';
import { aimOf } from '../supervisor/state/server-state.js';
import { type Reconciliation, reconcile } from './reconcile.js';
import { type SharedParts, type SupervisedServer, superviseServer } from './supervised-server.js';

/** Report of `apply`, by server name. */
export interface ApplyReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Changed without a restart. */
  readonly updated: readonly string[];
  /** The old process has ended, and the new one starts if the old one ran. */
  readonly restarted: readonly string[];
  readonly kept: readonly string[];
  /** Servers that did not stop completely. */
  readonly failures: readonly { readonly server: string; readonly error: unknown }[];
}

/** Options of `apply`. */
export interface ApplyOptions {
  /**
   * Names of servers to restart even if their launch is unchanged, such as after the user withdrew a consent. `apply`
   * waits for their start, and `status` has its failure. Servers that are down stay down, and removed ones are not
   * restarted. Default: none.
   */
  readonly restart?: readonly string[] | undefined;
  /**
   * Called once the servers are in effect, after `servers-changed`. The report follows when changed and removed servers
   * have finished their calls. Not called without effect. Default: none.
   */
  readonly onSwitched?: ((changes: Omit<ApplyReport, 'failures'>) => void) | undefined;
  /** Reports what would change now, and changes nothing. Waits for no earlier `apply`. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

const applyOptions = optionTable<ApplyOptions>()({
  restart: {
    kind: 'other',
    check: (names) =>
      Array.isArray(names) && names.every((name) => typeof name === 'string') ? undefined : 'a list of server names',
    default: [],
  },
  onSwitched: { kind: 'function' },
  dryRun: { kind: 'flag', default: false },
});

export class ServerSet {
  readonly #parts: SharedParts;
  #servers: ReadonlyMap<string, SupervisedServer>;
  /** Removed ones, until nothing of them is left. */
  readonly #leaving = new Map<SupervisedServer, Promise<void>>();
  #isClosed = false;

  constructor(specs: readonly ServerPolicy[], parts: SharedParts) {
    this.#parts = parts;
    this.#servers = new Map(specs.map((server) => [server.name, superviseServer(server, parts)]));
    queueMicrotask(() => startEager(this.all()));
  }

  get(name: string): SupervisedServer | undefined {
    return this.#servers.get(name);
  }

  names(): Iterable<string> {
    return this.#servers.keys();
  }

  all(): readonly SupervisedServer[] {
    return [...this.#servers.values()];
  }

  /**
   * Switches to `specs` after earlier calls have switched to theirs. Servers of earlier calls may still finish their calls.
   *
   * @throws {TypeError} Names the server and the field that is out of bounds; nothing has changed then.
   * @throws {ManagerError} `closed`; `unknown-server` for a name to restart, and nothing has changed then.
   */
  async apply(specs: ServerSpecs, options?: ApplyOptions): Promise<ApplyReport> {
    const { restart, onSwitched, dryRun } = applyOptions.read(options);
    if (dryRun) return { ...reportOf(this.#plan(resolveSpecs(specs), restart)), failures: [] };
    await undefined; // outside of the listeners of any server, so that each input is processed when `dispatch` returns
    const { works, ...report } = this.#switch(resolveSpecs(specs), restart);
    if (onSwitched) callListener('onSwitched', () => onSwitched(report));
    return { ...report, failures: await failuresOf(works) };
  }

  /** Accepts no further configuration. @returns Every server that may still run. */
  close(): readonly SupervisedServer[] {
    this.#isClosed = true;
    return [...this.all(), ...this.#leaving.keys()];
  }

  #plan(desired: readonly ServerPolicy[], restart: readonly string[]): Reconciliation {
    if (this.#isClosed)
      throw new ManagerError(
        'closed',
        'Another configuration cannot be applied: the client manager is closed. Create a new one.',
      );
    const current = this.#servers;
    requireKnown(restart, new Set([...current.keys(), ...desired.map(({ name }) => name)]));
    return reconcile(
      Array.from(current.values(), ({ supervisor }) => supervisor.server),
      desired,
      (name) => restart.includes(name) && isUp(current.get(name)),
    );
  }

  /** In one turn: a later update of the same server must not overtake an earlier one. */
  #switch(desired: readonly ServerPolicy[], restart: readonly string[]): Switched {
    const plan = this.#plan(desired, restart);
    const current = this.#servers;
    this.#servers = new Map(
      desired.map((server) => [server.name, current.get(server.name) ?? this.#supervise(server)]),
    );
    const removed = plan.remove.map((name) => ({ name, work: this.#remove(current.get(name) as SupervisedServer) }));
    const changed = [...plan.update, ...plan.restart].map((server) => ({
      name: server.name,
      work: (current.get(server.name) as SupervisedServer).update(server),
    }));
    const replaced = plan.replace.map((server) => ({
      name: server.name,
      work: replace(current.get(server.name) as SupervisedServer, server),
    }));
    const report = reportOf(plan);
    this.#announce(report);
    startEager(plan.add.map(({ name }) => this.#servers.get(name) as SupervisedServer));
    return { ...report, works: [...removed, ...changed, ...replaced] };
  }

  /** Starts only when earlier servers of its name have ended, and is the only one of them with events. */
  #supervise(server: ServerPolicy): SupervisedServer {
    const earlier = [...this.#leaving].filter(([{ supervisor }]) => supervisor.server.name === server.name);
    for (const [{ replaced }] of earlier) replaced();
    const after = earlier.length > 0 ? Promise.allSettled(earlier.map(([, removal]) => removal)) : undefined;
    return superviseServer(server, this.#parts, { after });
  }

  #remove(server: SupervisedServer): Promise<void> {
    const removal = this.#end(server).finally(() => this.#leaving.delete(server));
    this.#leaving.set(server, removal);
    return removal;
  }

  async #end(server: SupervisedServer): Promise<void> {
    try {
      await server.close({ reason: 'removed', calls: 'finish' });
    } finally {
      const { name } = server.supervisor.server;
      if (!this.#servers.has(name)) await this.#parts.processes.forget(name);
    }
  }

  #announce({ added, removed, updated, restarted }: Omit<ApplyReport, 'failures'>): void {
    const changed = [...added, ...removed, ...updated, ...restarted];
    if (changed.length === 0) return;
    for (const name of changed) this.#parts.changes.record(name);
    this.#parts.hub.emit('servers-changed', { added, removed, updated, restarted });
  }
}

interface Work {
  readonly name: string;
  readonly work: Promise<void>;
}

interface Switched extends Omit<ApplyReport, 'failures'> {
  /** Each settles when nothing of the previous server is left. */
  readonly works: readonly Work[];
}

function requireKnown(names: readonly string[], known: ReadonlySet<string>): void {
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw unknownServer(unknown, known);
}

export function highestFirst(servers: readonly SupervisedServer[]): readonly SupervisedServer[] {
  return servers.toSorted((one, other) => other.supervisor.server.priority - one.supervisor.server.priority);
}

/** @throws {TypeError} Names the server and the field that is out of bounds. */
export function resolveSpecs(specs: ServerSpecs): readonly ServerPolicy[] {
  const servers = Array.from(specsOf(specs), resolveSpec);
  const names = new Set<string>();
  for (const { name } of servers) {
    if (names.has(name)) throw new TypeError(`Two servers are named "${name}"; names must be unique`);
    names.add(name);
  }
  return servers;
}

const shape = 'an object with "servers": a list of server specs, or an object of them by name';

function specsOf(specs: unknown): Iterable<ServerSpec> {
  refusePromise('The configuration', specs);
  if (Array.isArray(specs)) throw new TypeError('The servers are a list. Pass it as { servers: [...] }');
  if (!isRecord(specs)) throw new TypeError(`The servers must be ${shape}, got ${typeof specs}`);
  const { servers, mcpServers } = specs;
  if (servers !== undefined && mcpServers !== undefined)
    throw new TypeError('The servers have both "servers" and "mcpServers". Pass one of them');
  const given = servers ?? mcpServers;
  refusePromise('"servers"', given);
  if (Array.isArray(given)) return given;
  if (typeof given !== 'object' || given === null) throw new TypeError(`The servers must be ${shape}`);
  if (Symbol.iterator in given) return given as Iterable<ServerSpec>;
  return Object.entries(given).map(([name, spec]) => {
    if (!isRecord(spec)) throw new TypeError(`server "${name}": must be an object, got ${typeof spec}`);
    return { name, ...spec } as unknown as ServerSpec;
  });
}

/** False for one that is stopping, unless it restarts. */
function isUp(server: SupervisedServer | undefined): boolean {
  if (server === undefined || aimOf(server.supervisor.state).phase === 'idle') return false;
  return server.handle.state !== 'stopped' && server.handle.state !== 'failed';
}

async function replace(server: SupervisedServer, policy: ServerPolicy): Promise<void> {
  const updated = server.update(policy);
  const restarted = server.handle.restart();
  try {
    await Promise.all([updated, restarted]);
  } catch (error) {
    if (isManagerError(error) && error.code === 'stop-failed') throw error;
  }
}

function startEager(servers: readonly SupervisedServer[]): void {
  for (const { supervisor } of highestFirst(servers)) {
    const isUntouched = supervisor.state.phase === 'idle' && !supervisor.wasStopped;
    if (supervisor.server.eager && isUntouched) supervisor.begin();
  }
}

function reportOf({ add, remove, update, restart, replace, keep }: Reconciliation): Omit<ApplyReport, 'failures'> {
  const namesOf = (servers: readonly ServerPolicy[]): readonly string[] => servers.map(({ name }) => name);
  return {
    added: namesOf(add),
    removed: remove,
    updated: namesOf(update),
    restarted: namesOf([...restart, ...replace]),
    kept: keep,
  };
}

async function failuresOf(works: readonly Work[]): Promise<ApplyReport['failures']> {
  const results = await Promise.allSettled(works.map(({ work }) => work));
  return results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ server: works[index]?.name ?? '', error: result.reason }] : [],
  );
}
