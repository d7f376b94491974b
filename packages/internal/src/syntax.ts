export { type JsonFault, type JsonReading, type JsonSyntax, parseJsonText } from './syntax/json-syntax.js';
export { scanToml, type TomlExcess, textLimits } from './syntax/text-limits.js';
export { TextPositions } from './syntax/text-positions.js';
export { unknownAlias, type YamlFault, yamlFault } from './syntax/yaml-faults.js';
