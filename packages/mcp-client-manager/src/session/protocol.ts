/** Revisions with `initialize`. The first is offered. */
export const legacyVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
/** The revision with `server/discover`. */
export const modernVersion = '2026-07-28';
/** The only revision with batches (several messages in one JSON array). */
export const revisionWithBatches = '2025-03-26';

/** `data.supported` of such an error may list the supported revisions. */
export const unsupportedVersion = -32_022;

export const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion';
export const clientInfoKey = 'io.modelcontextprotocol/clientInfo';
export const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
export const serverInfoKey = 'io.modelcontextprotocol/serverInfo';
export const logLevelKey = 'io.modelcontextprotocol/logLevel';
export const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
export const relatedTaskKey = 'io.modelcontextprotocol/related-task';
