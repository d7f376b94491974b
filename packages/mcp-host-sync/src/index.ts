// Public API of "@x/mcp-host-sync".

export { gatewayMarker } from '@x/internal/launch';
export type { HostFact, HostPlatform, HostScope } from './adapters/host-adapter.js';
export type { ContainerOrigin, HostDialect, JsonValue } from './edit/document.js';
export type { HostEvidence } from './evidence/host-evidence.js';
export type { LockOptions } from './files/file-lock.js';
export { readOwnership } from './files/ownership-file.js';
export type { ReplaceStep } from './files/replace-file.js';
export type { HostFileErrorCode, HostFileErrorDetails, MissingLocation } from './host-error.js';
export { HostFileError, isHostFileError } from './host-error.js';
export type { HostInput } from './host-input.js';
export type { HostIssue, HostIssueCode } from './host-issue.js';
export type { HostRemoteServer, HostServer, HostServerBase, HostStdioServer } from './host-server.js';
export { isGatewayServer } from './host-server.js';
export type { DetectedHost, HostInfo } from './list-hosts.js';
export { detectHosts, listHosts } from './list-hosts.js';
export type { HostPath } from './place/host-paths.js';
export { hostPaths } from './place/host-paths.js';
export type { HostPlace } from './place/host-place.js';
export { currentPlace } from './place/host-place.js';
export type { ReadDocumentsOptions } from './read-documents.js';
export { readHostDocuments } from './read-documents.js';
export type { HostReading } from './read-host.js';
export { readHost } from './read-host.js';
export type { Sealed } from './sealed.js';
export type { AppliedFile, ApplyStep } from './sync/apply-file.js';
export type { ApplyOptions, SyncResult } from './sync/apply-sync.js';
export { applySync } from './sync/apply-sync.js';
export type { ConflictReason } from './sync/decide-entry.js';
export type { OwnedContainer, OwnedEntry, OwnedFile, Ownership } from './sync/ownership.js';
export { planSync } from './sync/plan-sync.js';
export type { SyncOptions, SyncOutcome } from './sync/sync-hosts.js';
export { syncHosts } from './sync/sync-hosts.js';
export type {
  FileChange,
  FileContent,
  HostDocument,
  ServedServer,
  SyncInput,
  SyncPlan,
  SyncStep,
  SyncStepBase,
} from './sync/sync-plan.js';
export type { VariableValues } from './variables/host-text.js';
