import { isOwnGateway } from '@x/internal/launch';
import type { HostServer } from '../host-server.js';

/**
 * Whether an entry starts or reaches our own gateway. Such an entry is never imported: the gateway would start itself.
 * Known by the command `mcpx serve`, also through a launcher such as `npx`, or by its marker.
 */
export function isGatewayServer(server: HostServer): boolean {
  if (server.transport !== 'stdio') {
    return isOwnGateway({ words: [], variables: [], headers: Object.keys(server.headers ?? {}) });
  }
  const words = [server.command, ...(server.args ?? [])];
  return isOwnGateway({ words, variables: Object.keys(server.env ?? {}), headers: [] });
}
