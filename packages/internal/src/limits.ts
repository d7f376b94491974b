export { BoundedMap } from './limits/bounded-map.js';
export { type Rate, TokenBucket } from './limits/token-bucket.js';
