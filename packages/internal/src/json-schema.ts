export {
  checkValue,
  knownUncheckedParts,
  lacksPatternEngine,
  type SchemaCheck,
  uncheckedParts,
} from './json-schema/check-value.js';
export {
  briefParametersOf,
  guessType,
  parametersOf,
  resolveReference,
  shapeOf,
} from './json-schema/expected-shape.js';
export { movedSchema } from './json-schema/moved-schema.js';
export { type SchemaFault, toPointer } from './json-schema/schema-fault.js';
export { type PatternEngine, PatternSet, usePatternEngine } from './json-schema/text-pattern.js';
