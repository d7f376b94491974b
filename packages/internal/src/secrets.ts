export { HiddenSecrets } from './secrets/hidden-secrets.js';
export { maskSecrets } from './secrets/mask-secrets.js';
export { markDropped } from './secrets/readings.js';
export { withRedactedKeys } from './secrets/redacted-keys.js';
export { combineRedactors, createRedactor, type Redactor, redactorOf } from './secrets/redactor.js';
export { shortestHidden } from './secrets/secret-forms.js';
export { isNamedSecret, isSecretName, isStandIn, literalsOf } from './secrets/secret-shapes.js';
export { secretIn, secretsIn, secretsInWords } from './secrets/secret-texts.js';
