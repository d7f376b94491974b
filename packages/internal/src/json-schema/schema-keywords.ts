/** Keywords of JSON Schema that contain schemas under names of the author's choice, which are never keywords. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** Keywords that contain values, in which nothing is a keyword. */
export const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
