// Everything that can be imported from "@x/internal/launch".
export { gatewayMarker, isOwnGateway, type LaunchParts } from './launch/gateway-entry.js';
export { type SplitCommand, splitCommand } from './launch/split-command.js';
