import { isGatewayServer as isGatewayLaunch } from '@x/internal/launch';
import type { HostServer } from '../host-server.js';

/**
 * Whether an entry starts or reaches our own gateway. Such an entry is never imported: the gateway would start itself.
 * Known by the command `mcpx serve`, also through a launcher such as `npx`, or by its marker.
 */
export function isGatewayServer(server: HostServer): boolean {
  return isGatewayLaunch(server);
}
