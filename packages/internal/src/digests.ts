export { digest } from './digests/digest.js';
export { sha256Of } from './digests/sha256-of.js';
