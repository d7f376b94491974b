// Everything that can be imported from "@x/internal/limits".
export { BoundedMap } from './limits/bounded-map.js';
export { type Rate, TokenBucket } from './limits/token-bucket.js';
