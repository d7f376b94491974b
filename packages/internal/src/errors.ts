export { isBranded } from './errors/branded.js';
export { messageOf } from './errors/message-of.js';
