// Everything that can be imported from "@x/internal/json".
export { copyJson, JsonCopyError, type JsonLimits, measureCopy } from './json/copy-json.js';
export { isRecord } from './json/is-record.js';
export { decodeFragment, followPointer } from './json/json-pointer.js';
export { isSameJson } from './json/same-json.js';
