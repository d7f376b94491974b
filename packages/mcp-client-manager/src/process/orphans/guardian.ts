import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { requireDescriptors, spawnDescriptors } from '../require-descriptors.js';
import { isExhaustion } from '../spawn-error.js';
import { guardianScript } from './guardian-script.js';

/** A guardian that ends within this time, in milliseconds, cannot live here. */
const shortLifeMs = 1_000;
const maxShortLives = 3;

/** Marks the guardian's own process in its environment, with the host's process id. */
const guardianVariable = 'MCP_CLIENT_MANAGER_GUARDIAN';

/**
 * A tiny process that outlives a host which is killed, only to kill what the host started. It holds the other end of a
 * pipe that nobody else has: when the host is gone, however that came, the pipe ends. It lives in a session of its own,
 * so that a terminal's interrupt does not reach it, and never keeps the host alive. One for all managers.
 *
 * Every order is written in the same turn in which its process was started, and a pipe takes it at once.
 */
export class Guardian {
  readonly #guarded = new Set<string>();
  readonly #users = new Set<object>();
  readonly #onProblem: (message: string) => void;
  #child: ChildProcess | undefined;
  #shortLives = 0;
  #hasGivenUp = false;

  constructor(onProblem: (message: string) => void = (message) => process.emitWarning(message)) {
    this.#onProblem = onProblem;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** `entry` is a `NAME=value` in the environment of the process that is started next. */
  expect(user: object, entry: string): void {
    this.#users.add(user);
    if (this.#canGuard()) this.#tell(`?${entry}`);
  }

  /** The process that was expected did not come. */
  expectNothing(): void {
    this.#tell('?');
  }

  guard(group: GuardedGroup): void {
    this.#guarded.add(nameOf(group));
    this.#tell(`+${nameOf(group)}`);
  }

  forget(group: GuardedGroup): void {
    if (!this.#guarded.delete(nameOf(group))) return;
    this.#tell(`-${nameOf(group)}`);
    this.#leaveIfUnneeded();
  }

  /** `user` starts nothing more. The guardian leaves with the last user, once nothing is left to guard. */
  release(user: object): void {
    this.#users.delete(user);
    this.#leaveIfUnneeded();
  }

  #leaveIfUnneeded(): void {
    if (this.#users.size > 0 || this.#guarded.size > 0) return;
    const child = this.#child;
    this.#child = undefined;
    child?.stdin?.end();
  }

  /** Starts the guardian if there is none, with everything that there is to guard. */
  #canGuard(): boolean {
    if (this.#child) return true;
    if (process.platform === 'win32' || this.#hasGivenUp) return false;
    const child = startGuardian([...this.#guarded]);
    if (child?.pid === undefined) {
      child?.once('error', (error) => this.#refused(error));
      return false;
    }
    const startedAt = performance.now();
    this.#child = child;
    child.once('exit', () => this.#ended(child, startedAt));
    return true;
  }

  /** Without room for another process the server will hardly start either, and its next start is another try. */
  #refused(error: Error): void {
    if (!isExhaustion(error)) this.#giveUp();
  }

  #ended(child: ChildProcess, startedAt: number): void {
    if (this.#child !== child) return; // it was let go
    this.#child = undefined;
    this.#shortLives = performance.now() - startedAt < shortLifeMs ? this.#shortLives + 1 : 0;
    if (this.#shortLives >= maxShortLives) this.#giveUp();
    else this.#canGuard();
  }

  #giveUp(): void {
    if (this.#hasGivenUp) return;
    this.#hasGivenUp = true;
    this.#onProblem(
      'The helper that ends MCP servers when this process is killed cannot run here (it needs /bin/sh). Servers that do not leave when their stdin ends may outlive a killed host.',
    );
  }

  #tell(order: string): void {
    this.#child?.stdin?.write(`${order}\n`);
  }
}

/** The guardian of this host. */
export const hostGuardian = new Guardian();

export interface GuardedGroup {
  readonly group: number;
  /** Of the leader; `undefined` where it cannot be told. */
  readonly startTime: number | undefined;
}

function nameOf({ group, startTime = 0 }: GuardedGroup): string {
  return `${group}:${startTime}`;
}

function startGuardian(groups: readonly string[]): ChildProcess | undefined {
  let child: ChildProcess;
  try {
    requireDescriptors(spawnDescriptors);
    child = spawn('/bin/sh', ['-c', guardianScript, 'mcp-guardian', ...groups], {
      cwd: '/',
      // Nothing of the host's environment, and no owner marker: it is to outlive all that carries one.
      env: { PATH: '/usr/bin:/bin', [guardianVariable]: String(process.pid) },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
  } catch {
    return undefined;
  }
  child.unref();
  child.stdin?.on('error', () => undefined); // a guardian that died is told by its exit
  (child.stdin as (Writable & { unref?: () => void }) | null)?.unref?.();
  return child;
}
