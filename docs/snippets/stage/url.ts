import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a server answers that listens on 127.0.0.1. */
export async function urlOf(server: Server): Promise<URL> {
  if (!server.listening) await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}
