import { createConnection, type Socket } from 'node:net';
import { ControlError } from '../../control/control-error.js';
import { monotonicMs } from '../system-process.js';
import { LineConnection } from './line-connection.js';
import {
  type ClientHello,
  type ClientProof,
  isNonce,
  isProofOf,
  maxGreetingBytes,
  newNonce,
  proofOf,
  protocolNumber,
} from './protocol.js';
import { RpcClient } from './rpc-client.js';

/** A daemon responds within milliseconds unless the machine is overloaded. */
const greetingTimeoutMs = 5_000;

interface Endpoint {
  readonly socket: string;
  readonly token: string;
  readonly signal?: AbortSignal | undefined;
  /** Start of the first attempt, by `monotonicMs()`, for error messages. Default: now. */
  readonly sinceMs?: number | undefined;
  /** Receives lines of the daemon for the user, before the first response. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/**
 * Connects to a daemon. Sends no request before the daemon proves that it knows the token, because another process may
 * use its address. The token itself is never sent.
 *
 * @throws {ControlError} `daemon-unreachable`, `daemon-untrusted`, `version-skew`.
 */
export async function openConnection({
  socket: path,
  token,
  signal,
  sinceMs = monotonicMs(),
  onNotice,
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
      () => refuse(unreachable(`it did not complete the handshake within ${seconds(monotonicMs() - sinceMs)}`)),
      greetingTimeoutMs,
    );
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('error', (error: NodeJS.ErrnoException) => refuse(unreachable(error.code ?? error.message)));
    const connection = new LineConnection(socket, {
      maxLineBytes: maxGreetingBytes,
      onMessage: (hello) => {
        const reply = checkHello(hello, token, client);
        if (reply instanceof ControlError) {
          refuse(reply);
          return;
        }
        settled();
        connection.send(reply);
        rpc = new RpcClient(connection, onNotice);
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

/** The command's proof, or the reason to refuse the daemon. */
function checkHello(hello: unknown, token: string, client: string): ClientProof | ControlError {
  const { mcpx, nonce: server, proof, version } = (hello ?? {}) as Record<string, unknown>;
  if (typeof mcpx === 'number' && mcpx !== protocolNumber) return versionSkew(String(version), mcpx);
  if (!isNonce(server) || !isProofOf(proof, token, 'server', { client, server })) {
    return new ControlError(
      'daemon-untrusted',
      "The process at the daemon's address cannot prove that it is your daemon.",
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
    `The daemon runs ${age} mcpx (${version.slice(0, 40)}), which is not compatible with this one.`,
    {
      hint:
        protocol > protocolNumber
          ? 'Update this mcpx, or run "mcpx down" and then "mcpx up" to replace the daemon.'
          : 'Run "mcpx down" and then "mcpx up" to replace the daemon.',
    },
  );
}

function unreachable(reason: string): ControlError {
  return new ControlError('daemon-unreachable', `The daemon does not respond: ${reason}.`, {
    hint: 'Run the command again, or "mcpx down" and then "mcpx up".',
    retryable: true,
  });
}
