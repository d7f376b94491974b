import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  type TlsOptions,
} from '@nats-io/transport-node';
import { messageOf } from '@x/internal/errors';
import { FleetError } from '../errors.js';
import { toFleetError } from './failure.js';
import type { NatsSettings } from './options.js';

interface Attempt {
  readonly onSocket: (socket: Socket) => void;
}

const attempts = new AsyncLocalStorage<Attempt>();
let openAttempts = 0;

/**
 * Connects to one of the servers, trying each once. The connection does not reconnect.
 *
 * @throws {FleetError} `bus-down`, `forbidden`; or the signal's reason.
 */
export async function connectOnce(settings: NatsSettings, signal: AbortSignal): Promise<NatsConnection> {
  signal.throwIfAborted();
  const authenticator = await authenticatorOf(settings);
  signal.throwIfAborted();
  // The client does not close sockets of failed attempts; one to a stuck server would keep the process alive.
  const over = new AbortController();
  const sockets = new Set<Socket>();
  const attempt: Attempt = {
    onSocket: (socket) => void (over.signal.aborted ? socket.destroy() : sockets.add(socket)),
  };
  const giveUp = () => {
    over.abort();
    for (const socket of sockets) socket.destroy();
  };
  const watch = (message: unknown) => {
    if (attempts.getStore() === attempt) attempt.onSocket((message as { readonly socket: Socket }).socket);
  };
  subscribe('net.client.socket', watch);
  signal.addEventListener('abort', giveUp, { once: true });
  openAttempts += 1;
  try {
    const connection = await attempts.run(attempt, () => connect(connectOptions(settings, authenticator, over.signal)));
    if (!signal.aborted) return connection;
    await connection.close();
    throw signal.reason;
  } catch (error) {
    giveUp();
    signal.throwIfAborted();
    const failure = toFleetError(error, `connect to ${settings.servers.join(', ')}`);
    throw failure;
  } finally {
    signal.removeEventListener('abort', giveUp);
    unsubscribe('net.client.socket', watch);
    openAttempts -= 1;
    // Up to Node 22, an enabled storage slows down every promise of the process.
    if (openAttempts === 0) attempts.disable();
  }
}

function connectOptions(settings: NatsSettings, authenticator: Authenticator | undefined, signal: AbortSignal) {
  const { names, tls } = settings;
  return {
    servers: Array.from(settings.servers),
    name: `mcp-fleet ${names.fleet} ${names.node}`,
    inboxPrefix: names.inboxPrefix,
    timeout: settings.connectTimeoutMs,
    pingInterval: settings.pingIntervalMs,
    maxPingOut: 2,
    reconnect: false,
    ignoreClusterUpdates: true,
    ...(authenticator && { authenticator }),
    ...(settings.token !== undefined && { token: settings.token }),
    ...(settings.user !== undefined && { user: settings.user, pass: settings.password ?? '' }),
    ...(tls && { tls: tlsOptions(tls, signal) }),
  };
}

// The client passes all of these to Node's `tls.connect`; the signal ends abandoned handshakes.
function tlsOptions(
  { caFile, certFile, keyFile, first = false }: NonNullable<NatsSettings['tls']>,
  signal: AbortSignal,
) {
  const options: TlsOptions & { readonly signal: AbortSignal } = {
    handshakeFirst: first,
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
    signal,
  };
  return options;
}

async function authenticatorOf({ credentialsFile, nkeySeed }: NatsSettings): Promise<Authenticator | undefined> {
  if (nkeySeed !== undefined) return nkeyAuthenticator(new TextEncoder().encode(nkeySeed));
  if (credentialsFile === undefined) return undefined;
  let text: Buffer;
  try {
    text = await readFile(credentialsFile);
  } catch (cause) {
    throw new FleetError('forbidden', `The credentials in ${credentialsFile} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
  const authenticator = credsAuthenticator(new Uint8Array(text));
  try {
    authenticator('trial');
  } catch {
    // Omits the cause, which may quote the file.
    const wanted = 'a .creds file has the JWT of a user and the seed of its NKey';
    throw new FleetError('forbidden', `There are no credentials in ${credentialsFile}: ${wanted}`);
  }
  return authenticator;
}
