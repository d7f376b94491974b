export {
  gatewayMarker,
  isGatewayServer,
  isOwnGateway,
  type LaunchParts,
  type ServerLaunch,
} from './launch/gateway-entry.js';
export { type SplitCommand, splitCommand } from './launch/split-command.js';
