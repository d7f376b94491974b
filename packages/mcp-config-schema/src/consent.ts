// Public API of "@x/mcp-config-schema/consent".
export type { AskConsent, ConsentGate, ConsentGateOptions, ConsentTransition } from './consent/consent-gate.js';
export { createConsentGate } from './consent/consent-gate.js';
export type { Consent, ConsentStore } from './consent/consent-store.js';
export { createConsentStore } from './consent/consent-store.js';
export { shownText, shownWord } from './consent/entry-fields.js';
export type { AskedConfig, LaunchPlace, LaunchToConfirm, RequestedLaunch } from './consent/launches.js';
export { entriesOf, inRealDirectories, launchesToConfirm } from './consent/launches.js';
