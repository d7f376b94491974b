// Everything that can be imported from "@x/internal/names".
export { distanceOfKeys, MAX_DISTANCE, toNameKey } from './names/name-distance.js';
export { publicName, SOURCE_PREFIX, serverLabel } from './names/public-name.js';
export { FLEET_WIDE, fleetName, isFleetName } from './names/source-name.js';
