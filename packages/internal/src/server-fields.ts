export {
  healthCheckTimeout,
  mebibyte,
  type Optional,
  type ProcessFields,
  type ServerField,
  type ServerFields,
  second,
  serverFields,
} from './server-fields/server-fields.js';
