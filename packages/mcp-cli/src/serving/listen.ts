import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf } from '../error-code.js';
import { CommandError, exitCodes, UsageError } from '../exit-codes.js';

/** Connections that may wait to be accepted. */
const BACKLOG = 4_096;

/**
 * @returns The port: that which was asked for, or the one that the system chose for 0.
 * @throws {CommandError} Why nothing can listen there, and what would have worked.
 */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  // Many clients may connect at once, as after a restart; the system may have a lower bound of its own.
  server.listen({ host, port, exclusive: true, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error, host, port);
  }
  return (server.address() as AddressInfo).port;
}

function listenError(cause: unknown, host: string, port: number): CommandError {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return new CommandError(exitCodes.failed, `Port ${port} of ${host} is in use by another program.`, {
        hint: 'End that one, or give another port with --port; --port 0 takes any that is free.',
        cause,
      });
    case 'EACCES':
      return new CommandError(exitCodes.failed, `This user may not listen at port ${port} of ${host}.`, {
        hint: 'Give a port of 1024 or more with --port.',
        cause,
      });
    case 'EADDRNOTAVAIL':
      return new UsageError(`--host ${host} is no address of this machine.`, {
        hint: 'Leave it out to serve this machine alone, or give one of its addresses.',
        cause,
      });
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UsageError(`--host ${host} is no name that this machine knows.`, {
        hint: 'Give an address of this machine, such as 127.0.0.1.',
        cause,
      });
    default:
      return new CommandError(
        exitCodes.failed,
        `Nothing can listen at port ${port} of ${host}: ${codeOf(cause) ?? 'unknown'}.`,
        {
          cause,
        },
      );
  }
}
