import { createConnection } from 'node:net';
import { bareAddress } from '../serving/bind-address.js';
import { error, type Finding, ok, type Patient, warning } from './finding.js';

/** How long an address may take to let somebody connect, in milliseconds. */
const connectMs = 5_000;

/**
 * Whether somebody takes connections where each server with a URL is. Nothing is sent: what answers there, and whether it
 * wants a sign-in, tells only a start of the server.
 */
export async function checkAddresses({ loaded, io }: Patient): Promise<readonly Finding[]> {
  const servers = (loaded?.servers ?? []).flatMap((server) => (server.transport === 'stdio' ? [] : [server]));
  const findings = servers.map(({ name, url }) => addressFinding(name, url, io));
  return Promise.all(findings);
}

async function addressFinding(name: string, text: string, { env, signal }: Patient['io']): Promise<Finding> {
  const how = `"mcpx discover ${name} --refresh" asks it`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url)
    return warning('address', `${name}: its URL cannot be read, so it was not looked at`, 'write the whole URL');
  // What the proxy reaches, a connection from here may not.
  if (env.NODE_USE_ENV_PROXY) return ok('address', `${name}: not looked at, because requests go to a proxy; ${how}`);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const place = `${url.hostname}:${port}`;
  const fault = await connectFault({ host: bareAddress(url.hostname), port }, signal);
  signal.throwIfAborted();
  if (fault === undefined) return ok('address', `${name}: ${place} takes connections; ${how}`);
  return error(
    'address',
    `${name}: ${place} cannot be reached (${fault})`,
    'check its "url", the network, and that it runs',
  );
}

/** @returns The system's word for why nothing connects; `undefined` when it does. */
function connectFault(
  place: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ ...place, timeout: connectMs, signal });
    const settle = (fault?: string): void => {
      resolve(fault);
      socket.destroy();
    };
    socket.once('connect', () => settle());
    socket.once('timeout', () => settle(`no answer within ${connectMs / 1_000} s`));
    socket.on('error', (cause: NodeJS.ErrnoException) => settle(cause.code ?? cause.message));
  });
}
