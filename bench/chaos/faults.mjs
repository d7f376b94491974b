import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does to servers what a plan says, and follows how long it takes until a server that hangs for good is replaced.
 * A fault for a server without a process goes to the next one that has one.
 */
export class FaultInjector {
  #manager;
  #names;
  #lasting = new Set();
  #hung = [];
  done = {};

  constructor(manager) {
    this.#manager = manager;
    this.#names = manager.servers().map(({ name }) => name);
    manager.events.on('server-state', () => this.#lookAtHung());
  }

  inject({ kind, server, forMs }) {
    const target = this.#running(server);
    if (target === undefined) return;
    this.done[kind] = (this.done[kind] ?? 0) + 1;
    const lasting = this.#faults[kind](target, forMs)
      // A restart may be refused by the next fault; the calls tell what came of it.
      ?.catch(() => undefined)
      .finally(() => this.#lasting.delete(lasting));
    if (lasting !== undefined) this.#lasting.add(lasting);
  }

  /** Seconds until each server that hung was replaced; `undefined` for those that were not. */
  replacements() {
    this.#lookAtHung();
    return this.#hung.map(({ at, replacedAt }) => (replacedAt === undefined ? undefined : (replacedAt - at) / 1_000));
  }

  /** Resolves when what takes a while has been done. */
  async settled() {
    await Promise.all(this.#lasting);
  }

  #faults = {
    kill: ({ pid }) => signal(pid, 'SIGKILL'),
    term: ({ pid }) => signal(pid, 'SIGTERM'),
    pause: async ({ pid }, forMs) => {
      signal(pid, 'SIGSTOP');
      await delay(forMs);
      signal(pid, 'SIGCONT');
    },
    hang: ({ name, pid }) => {
      signal(pid, 'SIGSTOP');
      this.#hung.push({ name, pid, at: performance.now(), replacedAt: undefined });
    },
    'exit in a call': ({ pid }) => signal(pid, 'SIGUSR2'),
    'garbage on stdout': ({ pid }) => signal(pid, 'SIGHUP'),
    restart: ({ name }) => this.#manager.server(name).restart(),
    'stop and start': async ({ name }, forMs) => {
      await this.#manager.server(name).stop();
      await delay(forMs / 10);
      await this.#manager.server(name).start();
    },
  };

  #running(first) {
    const from = this.#names.indexOf(first);
    for (let step = 0; step < this.#names.length; step++) {
      const name = this.#names[(from + step) % this.#names.length];
      const { pid, phase } = this.#manager.server(name).status;
      if (phase === 'ready' && pid !== undefined) return { name, pid };
    }
    return undefined;
  }

  #lookAtHung() {
    for (const hung of this.#hung) {
      if (hung.replacedAt !== undefined) continue;
      const { pid, phase } = this.#manager.server(hung.name).status;
      if (phase === 'ready' && pid !== hung.pid) hung.replacedAt = performance.now();
    }
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // it has gone by itself
  }
}
