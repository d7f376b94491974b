import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf } from '@x/internal/files';
import { CommandError, exitCodes, UsageError } from '../command.js';

interface Address {
  readonly host: string;
  readonly port: number;
  /** Of the command, for the port. Default `--port`. */
  readonly option?: string;
}

/** Pending connections, at most. */
const backlog = 4_096;

/**
 * @returns The port, which the system chooses for 0.
 * @throws {CommandError} The address cannot be used.
 */
export async function listen(server: Server, { host, port, option = '--port' }: Address): Promise<number> {
  // Many clients connect at once after a restart. The system may have a lower limit.
  server.listen({ host, port, exclusive: true, backlog });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, { host, port, option });
  }
  return (server.address() as AddressInfo).port;
}

function listenError(cause: unknown, { host, port, option }: Required<Address>): CommandError {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return new CommandError(exitCodes.failed, `Port ${port} of ${host} is in use by another program.`, {
        hint: `End that program, or choose another port with ${option}. ${option} 0 chooses any free port.`,
        cause,
      });
    case 'EACCES':
      return new CommandError(exitCodes.failed, `You may not listen on port ${port} of ${host}.`, {
        hint: `Choose a port of 1024 or more with ${option}.`,
        cause,
      });
    case 'EADDRNOTAVAIL':
      return new UsageError(`--host ${host} is not an address of this machine.`, {
        hint: 'Omit it to serve only this machine, or use one of its addresses.',
        cause,
      });
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UsageError(`--host ${host} cannot be resolved.`, {
        hint: 'Use an address of this machine, such as 127.0.0.1.',
        cause,
      });
    default:
      return new CommandError(
        exitCodes.failed,
        `Cannot listen on port ${port} of ${host}: ${codeOf(cause) ?? 'unknown'}.`,
        {
          cause,
        },
      );
  }
}
