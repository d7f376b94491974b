// Everything that can be imported from "@x/internal/digests".
export { sha256Of } from './digests/sha256-of.js';
