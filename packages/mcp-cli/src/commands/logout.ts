import { loadConfig } from '@x/mcp-config-schema/load';
import type { CommonOptions } from '../command-options.js';
import { CommandError, type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printJson } from '../output/print-json.js';
import { printableLine } from '../output/printable.js';
import { requireServer } from '../read-config.js';
import { forgetSignIn } from '../signing-in/sign-ins.js';
import { noPlaceForSignIns, restartInDaemon } from './login.js';

/** Deletes the tokens of a server. Does not revoke them at the server. */
export async function logout(options: CommonOptions & { readonly server: string }, io: Io): Promise<ExitCode> {
  const { config: files, server: name, json } = options;
  if (io.stateDirectory === undefined) throw noPlaceForSignIns();
  const { servers } = await loadConfig({ cwd: io.cwd, env: io.env, ...(files && { files }) });
  requireServer(servers, name);
  const server = servers.find((entry) => entry.name === name);
  if (server?.transport !== 'http') {
    throw new CommandError(exitCodes.failed, `Server "${name}" has no sign-in, because it has no URL.`);
  }
  const wasSignedIn = await forgetSignIn(io.stateDirectory, server.url);
  if (wasSignedIn) await restartInDaemon(options, io);
  if (json) printJson({ server: name, wasSignedIn }, io);
  else if (wasSignedIn) io.stdout.write(`Signed out of ${printableLine(name, 200)}.\n`);
  else io.stdout.write(`You were not signed in to ${printableLine(name, 200)}.\n`);
  return exitCodes.ok;
}
