import { createConnection } from 'node:net';
import { bareAddress } from '../serving/bind-address.js';
import { error, type Finding, ok, type Patient, warning } from './finding.js';

/** Time limit of a connection attempt, in milliseconds. */
const connectMs = 5_000;

/** Connects to each server with a URL. Sends nothing, so it does not detect if a sign-in is required. */
export async function checkAddresses({ loaded, io }: Patient): Promise<readonly Finding[]> {
  const servers = (loaded?.servers ?? []).flatMap((server) => (server.transport === 'stdio' ? [] : [server]));
  const findings = servers.map(({ name, url }) => addressFinding(name, url, io));
  return Promise.all(findings);
}

async function addressFinding(name: string, text: string, { env, signal }: Patient['io']): Promise<Finding> {
  const how = `"mcpx discover ${name} --refresh" tests it`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return warning('address', `${name}: its URL is invalid, so it was not checked`, 'write the whole URL');
  // An address that the proxy reaches may be unreachable from here.
  if (env.NODE_USE_ENV_PROXY) return ok('address', `${name}: not checked, because requests go to a proxy; ${how}`);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const place = `${url.hostname}:${port}`;
  const fault = await connectFault({ host: bareAddress(url.hostname), port }, signal);
  signal.throwIfAborted();
  if (fault === undefined) return ok('address', `${name}: ${place} accepts connections; ${how}`);
  return error(
    'address',
    `${name}: ${place} cannot be reached (${fault})`,
    'check its "url", the network, and that it is running',
  );
}

/** @returns The system's error code; `undefined` on success. */
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
