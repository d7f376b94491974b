export { type HeldFile, holdFile } from './files/file-lock.js';
export { hexDigest } from './files/hex-digest.js';
export { relativeInside } from './files/relative-inside.js';
