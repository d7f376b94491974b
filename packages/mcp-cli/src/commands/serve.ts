import type { ExitCode, Io } from '../command.js';
import { noteUnusedFiles } from '../config/unused-files.js';
import { applyTrustFlag, obtainConsent } from '../consent/obtain-consent.js';
import { refreshLauncher } from '../host-apps/launcher.js';
import { refuseNesting } from '../servers/gateway-depth.js';
import { planHttp } from '../serving/http-plan.js';
import { serveByDaemon } from '../serving/serve-by-daemon.js';
import { checkServeOptions, type ServeOptions } from '../serving/serve-options.js';

/** Serves the daemon's servers as one MCP server, or with `--own-servers` those of this process. */
export async function serve(options: ServeOptions, io: Io): Promise<ExitCode> {
  checkServeOptions(options);
  refuseNesting(io.env, 'gateway');
  const isHttp = options.http === true;
  if (isHttp) planHttp(options);
  await refreshLauncher(io);
  noteUnusedFiles(options.config, io);
  const servers = options.servers.length > 0 ? options.servers : undefined;
  // Over stdio the terminal belongs to the client.
  await (isHttp ? obtainConsent({ ...options, servers }, io) : applyTrustFlag(options, io));
  if (options.ownServers !== true) return await serveByDaemon(options, io);
  const { serveOwnServers } = await import('../serving/own-servers.js');
  return await serveOwnServers(options, io);
}
