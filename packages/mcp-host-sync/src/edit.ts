// Public API of "@x/mcp-host-sync/edit".

export type {
  ContainerOrigin,
  DocumentShape,
  EditOptions,
  EditResult,
  EntryEdit,
  EntryFields,
  HostDialect,
  JsonValue,
} from './edit/document.js';
export { editEntries, readEntries, readKeys } from './edit/edit-entries.js';
export type { LockOptions } from './files/file-lock.js';
export { readHostText as readText } from './files/read-host-text.js';
export type { TextChange, WriteTextOptions } from './files/write-text.js';
export { writeText } from './files/write-text.js';
export type { HostFileErrorCode, HostFileErrorDetails, MissingLocation } from './host-error.js';
export { HostFileError, isHostFileError } from './host-error.js';
export type { OwnedContainer, OwnedEntry, OwnedFile } from './sync/ownership.js';
export type { RecordChange } from './sync/put-record-back.js';
export { putRecordBack } from './sync/put-record-back.js';
export { textDiff } from './sync/text-diff.js';
