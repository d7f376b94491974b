// Everything that can be imported from "@x/internal/events".
export { callListener } from './events/call-listener.js';
export { Emitter } from './events/emitter.js';
export { Listeners } from './events/listeners.js';
