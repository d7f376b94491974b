export { callListener } from './events/call-listener.js';
export { Emitter } from './events/emitter.js';
export { Listeners } from './events/listeners.js';
