export { canonicalJson } from './json/canonical-json.js';
export { copyJson, JsonCopyError, type JsonLimits, measureCopy } from './json/copy-json.js';
export {
  decodeFragment,
  followPointer,
  isDeeperThan,
  isForbiddenKey,
  isRecord,
  isSameJson,
  parseJson,
} from './json/json-values.js';
