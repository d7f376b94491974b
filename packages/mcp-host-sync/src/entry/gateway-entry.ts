import { isGatewayServer as isGatewayLaunch } from '@x/internal/launch';
import type { HostServer } from '../host-server.js';

/**
 * True for this project's gateway: the command `mcpx serve`, also through a launcher such as `npx`, or its marker. An
 * imported gateway entry would start itself.
 */
export function isGatewayServer(server: HostServer): boolean {
  return isGatewayLaunch(server);
}
