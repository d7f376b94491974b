export {
  BUILT_IN_TOOLS,
  CALL_TOOL_NAME,
  CODE_TOOL_NAME,
  READ_RESULT_TOOL_NAME,
  SEARCH_TOOL_NAME,
} from './names/built-in-tools.js';
export { countChanges } from './names/name-distance.js';
export { NearestNames, nearestName } from './names/nearest-names.js';
export { publicName, SOURCE_PREFIX, serverLabel } from './names/public-name.js';
export {
  FLEET_WIDE,
  fleetName,
  type IsServer,
  isFleetName,
  type NameReading,
  readingsOf,
  readName,
  shownName,
  type ToolOwner,
  toolOwners,
  type WrittenKind,
} from './names/written-name.js';
