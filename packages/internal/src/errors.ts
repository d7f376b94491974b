// Everything that can be imported from "@x/internal/errors".
export { isBranded } from './errors/branded.js';
export { messageOf } from './errors/message-of.js';
