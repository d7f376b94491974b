// Everything that can be imported from "@x/internal/digests".
export { digest } from './digests/digest.js';
export { sha256Of } from './digests/sha256-of.js';
