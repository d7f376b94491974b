import type { ElicitationFallback } from '@x/mcp-gateway';
import type { ExitCode, Io } from '../command.js';
import type { Stack } from '../compose.js';
import type { LiveConfig } from '../config/live-config.js';
import { inCommandWords } from '../output/command-words.js';
import { stackOf } from './daemon-stack.js';
import { planHttp } from './http-plan.js';
import { checkServeOptions, type ServeOptions } from './serve-options.js';
import { type Observed, serveStack } from './serve-stack.js';
import { interceptorsFor, openAudit } from './view-parts.js';

interface DaemonParts {
  readonly stack: Stack;
  readonly live: LiveConfig;
  readonly observed: Observed;
  readonly attendants: ElicitationFallback;
}

/** Serves the daemon's servers in the daemon, for the command whose `io` it is. */
export async function serveDaemonStack(
  { stack, live, observed, attendants }: DaemonParts,
  options: ServeOptions,
  io: Io,
): Promise<ExitCode> {
  checkServeOptions(options);
  const plan = options.http === true ? planHttp(options) : undefined;
  let report = (error: Error): void => void io.stderr.write(`warning: ${inCommandWords(error.message)}\n`);
  await using audit = openAudit(options, io, (error) => report(error));
  const interceptors = await interceptorsFor(options, stack.approvals.hold);
  const served = stackOf(stack, options, { interceptors, audit: audit?.record });
  const onReporting = (reporting: typeof report) => {
    report = reporting;
  };
  return await serveStack({ stack: served, live, options, plan, observed, attendants, onReporting }, io);
}

/**
 * Loads what a serving may need later. Here, because Node looks for the file again if another file imports a module that
 * is loaded.
 */
export async function preload(): Promise<void> {
  await Promise.all([import('./identity.js'), import('./metrics-route.js'), import('@x/mcp-registry/interceptors')]);
}
