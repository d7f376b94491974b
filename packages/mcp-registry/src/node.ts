// Everything that can be imported from "@x/mcp-registry/node". A new line here is new public API.
export type { AuditLog, AuditLogOptions, AuditLogStatus } from './audit/audit-log.js';
export { createAuditLog } from './audit/audit-log.js';
export type { AuditLine, DroppedAuditLine } from './audit/audit-queue.js';
export type { PinFileOptions } from './pins/pin-file.js';
export { createPinFile } from './pins/pin-file.js';
