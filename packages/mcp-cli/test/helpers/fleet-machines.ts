import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exitCodes } from '../../src/command.js';
import type { FleetReport, FleetServer } from '../../src/fleet/fleet-report.js';
import { builtPrograms } from './daemon-programs.js';
import { type DaemonStage, daemonStage } from './daemon-stage.js';
import type { ServerEntry } from './project.js';
import type { Outcome } from './run-mcpx.js';
import { onStage } from './stage-commands.js';
import { until } from './until.js';

/** A daemon of its own, as another machine would have it; its programs are those of the package's build. */
export function machine(servers: readonly ServerEntry[] = [{ name: 'files', server: 'echo' }]): Promise<DaemonStage> {
  return daemonStage(servers, { programs: builtPrograms });
}

let names = 0;

/** A name that no other test's fleet has. */
export function newFleet(): string {
  names += 1;
  return `fleet-${names}`;
}

/** Runs a command, which has to go well. */
export async function ok(stage: DaemonStage, ...argv: readonly string[]): Promise<Outcome> {
  const outcome = await onStage(stage, argv);
  expect(outcome.exitCode, `mcpx ${argv.join(' ')}\n${outcome.stderr}`).toBe(exitCodes.ok);
  return outcome;
}

/** A daemon that is ended without a farewell leaves its keys behind. */
export async function lose(stage: DaemonStage): Promise<void> {
  const { stdout } = await ok(stage, 'daemon', 'status', '--json');
  const { pid, workerPid } = JSON.parse(stdout) as { readonly pid: number; readonly workerPid: number };
  // Both stand still first: a worker that sees its parent die leaves the fleet in order.
  for (const signal of ['SIGSTOP', 'SIGKILL']) for (const each of [pid, workerPid]) process.kill(each, signal);
}

/** The fleet as the stage's daemon sees it. */
export async function reportOf(stage: DaemonStage): Promise<FleetReport | undefined> {
  const { stdout } = await onStage(stage, ['status', '--json']);
  return (JSON.parse(stdout) as { fleet?: FleetReport }).fleet;
}

/**
 * Resolves when the stage's daemon is joined and shows a server of a node with these fields. With `tools`, that number of
 * them can be called: a server is announced before the definitions of its tools arrive.
 */
export async function seen(
  stage: DaemonStage,
  node: string,
  server: string,
  wanted: Partial<FleetServer>,
): Promise<void> {
  await until(async () => {
    const report = await reportOf(stage);
    if (report?.phase !== 'joined') return false;
    const servers = report.nodes.find((each) => each.node === node)?.servers ?? [];
    const found = servers.find((each) => each.server === server);
    if (found === undefined || !Object.entries(wanted).every(([key, value]) => Reflect.get(found, key) === value))
      return false;
    return wanted.tools === undefined || (await toolsListed(stage, found.source ?? server)) === wanted.tools;
  });
}

async function toolsListed(stage: DaemonStage, source: string): Promise<number> {
  const { stdout } = await ok(stage, 'search', '.', '--regex', '--server', source, '--json');
  return (JSON.parse(stdout) as { readonly total: number }).total;
}

/** Where the stage's daemon remembers its fleet. */
export async function membershipOf(stage: DaemonStage): Promise<string | undefined> {
  const folder = join(stage.folder, 'state', 'fleet');
  const [file] = await readdir(folder).catch(() => []);
  return file === undefined ? undefined : join(folder, file);
}
