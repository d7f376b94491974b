import { singleClientCapabilities } from '@x/internal/client-capabilities';
import { Emitter } from '@x/internal/events';
import type { LoadedConfig } from '@x/mcp-config-schema/load';
import type { ExitCode, Io } from '../command.js';
import { openStack, servedCallTimeoutMs } from '../compose.js';
import type { LiveConfig, LiveConfigEvents } from '../config/live-config.js';
import { nothingChanged } from '../config/reload-report.js';
import { controlBase } from '../control/control-base.js';
import { serveStack } from '../serving/serve-stack.js';
import { signIns } from '../signing-in/sign-ins.js';

interface ServedUnlisted {
  /** Of `unlistedConfig`. */
  readonly config: LoadedConfig;
  readonly verbose?: boolean | undefined;
}

/**
 * Serves the one server of the config over stdio, from this process and under its own names. Stores nothing.
 *
 * @throws {ControlError} It does not start.
 */
export async function serveUnlisted({ config, verbose = false }: ServedUnlisted, io: Io): Promise<ExitCode> {
  await using stack = await openStack(
    {
      loaded: config,
      auth: signIns(io),
      capabilities: singleClientCapabilities,
      callTimeoutMs: servedCallTimeoutMs,
    },
    { ...io, stateDirectory: undefined },
  );
  const { run } = controlBase(stack, { isOneShot: true, isUnlisted: true });
  await run(io.signal, () => Promise.all(stack.manager.servers().map((server) => server.start({ signal: io.signal }))));
  const servers = config.servers.map(({ name }) => name);
  return await serveStack(
    { stack, live: withoutFiles(), options: { servers, names: 'as-is', verbose }, plan: undefined },
    io,
  );
}

/** A config that no file can change. */
function withoutFiles(): LiveConfig {
  return {
    events: new Emitter<LiveConfigEvents>({ 'new-servers': true, change: true, 'stop-failures': true, problem: true }),
    reload: async () => nothingChanged,
    problem: undefined,
    readAt: Date.now(),
    settled: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
