import { createConnection, type Socket } from 'node:net';
import { ControlError } from '../control/control-error.js';
import {
  type ClientHello,
  type ClientProof,
  isNonce,
  isProofOf,
  maxGreetingBytes,
  newNonce,
  proofOf,
  protocolNumber,
} from './handshake.js';
import { LineConnection } from './line-connection.js';
import { RpcClient } from './rpc-client.js';
import { monotonicMs } from './system-process.js';

/** A daemon on this machine greets within a few milliseconds, unless the machine is very busy. */
const greetingTimeoutMs = 5_000;

export interface Endpoint {
  readonly socket: string;
  readonly token: string;
  readonly signal?: AbortSignal | undefined;
  /** When the first attempt began, by `monotonicMs()`, for what a failure says. Default: now. */
  readonly sinceMs?: number | undefined;
}

/**
 * Connects to a daemon. Nothing is said before it has proven that it knows the token, which itself is never sent:
 * somebody else may have taken its place.
 *
 * @throws {ControlError} `daemon-unreachable` when nobody listens there or answers in time, `daemon-untrusted`,
 * `version-skew`. Rejects with the signal's reason when that aborts.
 */
export async function openConnection({
  socket: path,
  token,
  signal,
  sinceMs = monotonicMs(),
}: Endpoint): Promise<RpcClient> {
  signal?.throwIfAborted();
  const client = newNonce();
  return new Promise((resolve, reject) => {
    const socket: Socket = createConnection(path);
    let rpc: RpcClient | undefined;
    const settled = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const refuse = (error: unknown): void => {
      settled();
      reject(error);
      connection.close();
    };
    const abort = (): void => refuse(signal?.reason);
    const timer = setTimeout(
      () => refuse(unreachable(`it did not greet within ${seconds(monotonicMs() - sinceMs)}`)),
      greetingTimeoutMs,
    );
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('error', (error: NodeJS.ErrnoException) => refuse(unreachable(error.code ?? error.message)));
    const connection = new LineConnection(socket, {
      maxLineBytes: maxGreetingBytes,
      onMessage: (hello) => {
        const answer = checkHello(hello, token, client);
        if (answer instanceof ControlError) {
          refuse(answer);
          return;
        }
        settled();
        connection.send(answer);
        rpc = new RpcClient(connection);
        resolve(rpc);
      },
      onClose: (problem) => (rpc ? rpc.closed(problem) : refuse(unreachable(problem ?? 'it closed the connection'))),
    });
    connection.send({ mcpx: protocolNumber, nonce: client } satisfies ClientHello);
  });
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/** Our proof for a daemon that has given its own; otherwise why there is nothing to say to it. */
function checkHello(hello: unknown, token: string, client: string): ClientProof | ControlError {
  const { mcpx, nonce: server, proof, version } = (hello ?? {}) as Record<string, unknown>;
  if (typeof mcpx === 'number' && mcpx !== protocolNumber) return versionSkew(String(version), mcpx);
  if (!isNonce(server) || !isProofOf(proof, token, 'server', { client, server })) {
    return new ControlError(
      'daemon-untrusted',
      'What answers in the place of the daemon cannot prove that it is ours.',
      {
        hint: 'Nothing was sent to it. Run "mcpx down" and then "mcpx up".',
      },
    );
  }
  return { proof: proofOf(token, 'client', { client, server }) };
}

export function versionSkew(version: string, protocol: number): ControlError {
  const age = protocol > protocolNumber ? 'a newer' : 'an older';
  return new ControlError(
    'version-skew',
    `The daemon runs ${age} mcpx (${version.slice(0, 40)}), which this one does not understand.`,
    {
      hint:
        protocol > protocolNumber
          ? 'Update this mcpx, or run "mcpx down" and then "mcpx up" to replace the daemon.'
          : 'Run "mcpx down" and then "mcpx up" to replace the daemon.',
    },
  );
}

function unreachable(reason: string): ControlError {
  return new ControlError('daemon-unreachable', `The daemon does not answer: ${reason}.`, {
    hint: 'Run the command again, or "mcpx down" and then "mcpx up".',
    retryable: true,
  });
}
