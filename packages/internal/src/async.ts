export { eitherSignal, type HeldSignal } from './async/either-signal.js';
export { onAbort } from './async/on-abort.js';
export { nextTurn, pause, unlessAborted, within } from './async/waiting.js';
export { withResolvers } from './async/with-resolvers.js';
