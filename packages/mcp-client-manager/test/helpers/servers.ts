import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type TestServerName, testServer } from '@x/test-servers';
import { type ClientManager, createClientManager } from '../../src/manager.js';
import type { ClientManagerOptions } from '../../src/options.js';
import type { ToolCallResult } from '../../src/session/session.js';
import type { HttpServerSpec, ServerSpec, StdioServerSpec } from '../../src/spec.js';
import type { ServerState } from '../../src/supervisor/state/server-state.js';

export { failureOf } from './failure-of.js';

type Extras = Partial<Omit<StdioServerSpec & HttpServerSpec, 'url' | 'headers'>>;

const limits = { shutdownTimeoutMs: 1_000 };

/** The spec of a test server under its own name, with the shortest time-outs there are. */
export function serverSpec(
  program: TestServerName,
  args: readonly string[] = [],
  extras: Extras = {},
): StdioServerSpec {
  return { name: program, ...testServer(program, ...args), ...withLimits(extras) };
}

/** A program of `test/fixtures`, run with the Node that runs the test. */
export function fixtureSpec(file: string, args: readonly string[] = [], extras: Extras = {}): StdioServerSpec {
  const path = fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url));
  return { name: 'fixture', command: process.execPath, args: [path, ...args], ...withLimits(extras) };
}

function withLimits(extras: Extras): Extras {
  return { ...extras, limits: { ...limits, ...extras.limits } };
}

export function managerOf(...servers: readonly ServerSpec[]): ClientManager {
  return createClientManager({ servers });
}

export function managerWith(options: ClientManagerOptions, ...servers: readonly ServerSpec[]): ClientManager {
  return createClientManager({ servers }, options);
}

/** Resolves with the next state, from the present one on, that fits. */
export function stateOf(
  manager: ClientManager,
  server: string,
  fits: ServerState['phase'] | ((state: ServerState) => boolean),
): Promise<ServerState> {
  const isIt = typeof fits === 'function' ? fits : ({ phase }: ServerState) => phase === fits;
  const present = manager.server(server).lifecycle;
  if (isIt(present)) return Promise.resolve(present);
  return new Promise((resolve) => {
    const listening = manager.events.on('server-state', ({ server: name, state }) => {
      if (name !== server || !isIt(state)) return;
      listening[Symbol.dispose]();
      resolve(state);
    });
  });
}

/** Every state of one server from now on, as one word each: the phase, and the step of a start. */
export function phasesOf(manager: ClientManager, server: string): string[] {
  const phases: string[] = [];
  manager.events.on('server-state', ({ server: name, state }) => {
    if (name !== server) return;
    phases.push(state.phase === 'starting' ? `starting ${state.step}` : state.phase);
  });
  return phases;
}

/** The text of a result's first block. */
export function textOf({ content: [first] }: ToolCallResult): string {
  return first?.type === 'text' ? first.text : '';
}

/** True if a process of this id runs. A zombie does not: a container without an init never removes orphans. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^\S+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Warnings of Node while `work` runs, such as of too many listeners. */
export async function warningsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  try {
    await work();
    // Warnings are emitted in a later tick; one of our own marks the end of those that were before it.
    const marker = once(process, 'warning');
    process.emitWarning('end');
    await marker;
  } finally {
    process.off('warning', note);
  }
  return warnings.filter((message) => message !== 'end');
}
