// Results that describe refusals of a view. Apart from `views`, so that bundles load them with the first search.
export { isRefusal, type Refusal, toErrorPayload, toPayloadResult } from './views/error-payloads.js';
