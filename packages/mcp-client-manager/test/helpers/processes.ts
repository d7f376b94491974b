import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ProcessOwner, type ProcessOwnerOptions, type ProcessRequest } from '../../src/process/process-owner.js';
import type { ServerProcess } from '../../src/process/spawn-server.js';

/** A directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'manager-')));
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

export function processHost(options: Partial<ProcessOwnerOptions> = {}): ProcessOwner {
  const host = new ProcessOwner({ environment: process.env, ...options });
  onTestFinished(() => host.close());
  return host;
}

/** Starts a program that is ended with the test. */
export async function startProcess(
  host: ProcessOwner,
  command: string,
  args: readonly string[],
  extras: Partial<ProcessRequest> = {},
): Promise<ServerProcess> {
  const request = { server: 'server', command, args, env: {}, cwd: undefined, onStderrLine: () => undefined };
  const started = await host.spawn({ ...request, ...extras });
  onTestFinished(() => started.stop({ shutdownTimeoutMs: 100 }));
  return started;
}
