// Public API of "@x/mcp-fleet": each export is a promise.
export type {
  CallHandler,
  ClientHandlerContext,
  EventSource,
  JsonSchema,
  ListToolsOptions,
  RpcError,
  ServerRequest,
  SourceCallOptions,
  SourceTool,
  SourceToolResult,
  ToolAnnotations,
  ToolArguments,
  ToolCaller,
  ToolProgress,
  ToolSource,
  ToolSourceState,
} from '@x/internal/contracts';
export type {
  BucketChange,
  BucketEntry,
  BucketWatcher,
  BusEvent,
  BusMessage,
  FleetBucket,
  FleetBus,
  WriteOptions,
} from './bus.js';
export type { Placement } from './catalog/records.js';
export type { FleetErrorCode, FleetErrorOptions } from './errors.js';
export { FleetError, isFleetError } from './errors.js';
export type { FleetEvents } from './events.js';
export type { Fleet } from './fleet.js';
export { createFleet } from './fleet.js';
export type { ForgetOptions, ForgetPlan, PlanForgetOptions } from './lease/forget-node.js';
export { forgetNode, planForget } from './lease/forget-node.js';
export type { CallPrincipal, FleetOptions, PlacedSource } from './options.js';
export type { FleetSource } from './source.js';
export type { SourceRegistry } from './sources/attach-sources.js';
export type { SourcesOptions } from './sources/node-sources.js';
export type { FleetStatus, NodeServerStatus, NodeStatus } from './status.js';
