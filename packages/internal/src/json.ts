export { canonicalJson } from './json/canonical-json.js';
export { copyJson, JsonCopyError, type JsonLimits, measureCopy } from './json/copy-json.js';
export { isForbiddenKey } from './json/forbidden-key.js';
export { isRecord } from './json/is-record.js';
export { isDeeperThan } from './json/json-depth.js';
export { decodeFragment, followPointer } from './json/json-pointer.js';
export { parseJson } from './json/parse-json.js';
export { isSameJson } from './json/same-json.js';
