import { createServer } from 'node:net';
import packageJson from '../../package.json' with { type: 'json' };
import { isControlError } from '../control/control-error.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { defaultPort } from '../serving/http-plan.js';
import { error, type Finding, ok, type Patient, warning } from './finding.js';

/** Checks that a running daemon responds and has this version. */
export async function checkDaemon({ io, config }: Patient): Promise<Finding> {
  try {
    await using control = await findDaemon({ config }, io);
    const info = await control?.daemonInfo({ signal: io.signal });
    if (!info) return ok('daemon', 'no daemon is running for this config');
    if (info.version === packageJson.version) return ok('daemon', `the daemon responds as process ${info.pid}`);
    const message = `the daemon has version ${info.version}, and this is ${packageJson.version}`;
    return warning('daemon', message, 'run "mcpx down" and then "mcpx up"');
  } catch (cause) {
    io.signal.throwIfAborted();
    if (!isControlError(cause)) throw cause;
    return error('daemon', cause.message, cause.hint ?? 'run "mcpx down" and then "mcpx up"');
  }
}

/** Checks that loopback ports are usable, for `serve --http` and for the redirect of a sign-in. */
export async function checkPorts(port: number = defaultPort): Promise<readonly Finding[]> {
  const free = await listenFault(0);
  if (free !== undefined) {
    const fix = 'allow programs to listen on 127.0.0.1: "mcpx login" and "mcpx serve --http" need it';
    return [error('port', `no port of 127.0.0.1 is usable (${free})`, fix)];
  }
  const fault = await listenFault(port);
  if (fault === undefined) return [ok('port', `port ${port} of 127.0.0.1 is free for "mcpx serve --http"`)];
  const message =
    fault === 'EADDRINUSE' ? `port ${port} of 127.0.0.1 is in use` : `port ${port} cannot be used (${fault})`;
  return [warning('port', message, 'if that is not your gateway, run "mcpx serve --http" with another --port')];
}

/** @returns The system's error code; `undefined` on success. */
function listenFault(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code ?? cause.message));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}
