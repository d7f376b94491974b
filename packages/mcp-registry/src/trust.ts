// Everything that can be imported from "@x/mcp-registry/trust". A new line here is new public API.
export type { FindingSeverity, ToolFinding, ToolFindingCode } from './findings/tool-finding.js';
export { applyPinChanges } from './pins/apply-pin-changes.js';
export { createMemoryPinStore } from './pins/memory-pin-store.js';
export type { PinChange, PinStore, Pins, RewrittenPin, ServerPins, ToolPin } from './pins/pin-store.js';
export type { PinnedDefinition } from './pins/pinned-definition.js';
export type {
  ApprovedText,
  DiffOptions,
  OfferedTool,
  PinEvents,
  PinFilter,
  ReadTool,
  RegistryPins,
  SimilarTool,
  ToolReference,
  TrustChange,
} from './pins/registry-pins.js';
export type { ToolTrust, TrustMode, TrustOptions } from './pins/trust-policy.js';
export type { TerminalTextOptions } from './terminal-text.js';
export { toTerminalText } from './terminal-text.js';
