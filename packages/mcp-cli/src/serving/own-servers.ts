import { gatewayCapabilities, singleClientCapabilities } from '@x/internal/client-capabilities';
import type { ExitCode, Io } from '../command.js';
import { openStack, type Stack, servedCallTimeoutMs } from '../compose.js';
import { configSource } from '../config/config-source.js';
import { followConfig, watchFiles } from '../config/live-config.js';
import { locateDaemon } from '../daemon/locate-daemon.js';
import { DaemonSources } from '../fleet/daemon-sources.js';
import { loadMembership, membershipFile } from '../fleet/membership.js';
import { inCommandWords } from '../output/command-words.js';
import { printable } from '../output/print.js';
import { exportAsked } from '../telemetry/export-asked.js';
import type { CliTelemetry } from '../telemetry/open-telemetry.js';
import { planHttp } from './http-plan.js';
import type { ServeOptions } from './serve-options.js';
import { serveStack } from './serve-stack.js';
import { interceptorsFor, openAudit } from './view-parts.js';

/** Serves servers that this process starts and stops. */
export async function serveOwnServers(options: ServeOptions, io: Io): Promise<ExitCode> {
  const plan = options.http === true ? planHttp(options) : undefined;
  let report = (error: Error): void => void io.stderr.write(`warning: ${inCommandWords(error.message)}\n`);
  using _hangup = io.onHangup?.(() => undefined); // until then the first read of the config is in progress
  await using audit = openAudit(options, io, (error) => report(error));
  await using observed = await observe(options, io);
  const { config, servers } = options;
  // Named servers are served from this process alone.
  const isInFleet = servers.length === 0 && (await belongsToFleet(options, io));
  const source = configSource(config, io);
  await using watch = watchFiles(source, io);
  await using stack = await openStack(
    {
      source,
      watch,
      servers,
      withoutSingletons: isInFleet,
      isNested: options.names === 'nested',
      startsEager: true,
      audit: audit?.record,
      interceptors: await interceptorsFor(options),
      capabilities: plan === undefined ? singleClientCapabilities : gatewayCapabilities,
      callTimeoutMs: servedCallTimeoutMs,
      telemetry: observed?.telemetry,
    },
    io,
  );
  await using sources = isInFleet ? fleetSources(stack, options, io) : undefined;
  const onReporting = (reporting: typeof report) => {
    report = reporting;
  };
  await using live = followConfig({ stack, watch, io });
  const reporting = observed && { telemetry: observed.telemetry, metrics: async () => observed.metrics };
  return await serveStack({ stack, live, options, plan, observed: reporting, others: sources?.ready, onReporting }, io);
}

/** True if the daemon of this config is or would be a node of a fleet. */
async function belongsToFleet({ config }: ServeOptions, io: Io): Promise<boolean> {
  if (io.stateDirectory === undefined) return false;
  const file = membershipFile(io.stateDirectory, locateDaemon({ config }, io).paths.id);
  return (await loadMembership(file).catch(() => undefined)) !== undefined; // fleet commands report a broken file
}

function fleetSources({ registry, manager }: Stack, { config }: ServeOptions, io: Io): DaemonSources {
  const own = new Set(manager.servers().map(({ name }) => name));
  const onUnavailable = (message: string) => void io.stderr.write(`warning: ${printable(message)}\n`);
  return new DaemonSources({ config, registry, own, onUnavailable }, io);
}

/** Loads nothing without an option or a variable that asks for it. */
async function observe(
  { metricsTokenFile, http }: ServeOptions,
  { env, stderr }: Io,
): Promise<CliTelemetry | undefined> {
  const hasMetrics = metricsTokenFile !== undefined;
  if (!hasMetrics && exportAsked(env) === undefined) return undefined;
  const { openTelemetry } = await import('../telemetry/open-telemetry.js');
  const warn = (line: string) => stderr.write(`warning: ${printable(line)}\n`);
  return openTelemetry({ env, hasMetrics, consoleTo: http === true ? undefined : stderr, warn });
}
