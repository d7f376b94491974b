import { isRecord } from '@x/internal/json';

const TYPES: ReadonlySet<unknown> = new Set(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']);

/** Valid values by keyword. APIs refuse the whole request for an invalid value. */
const TAKES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['type', isType],
  ['enum', isFilledList],
  ['pattern', isPattern],
  ['multipleOf', (value: unknown) => isNumber(value) && value > 0],
  ['examples', Array.isArray],
  ['dependentRequired', (value: unknown) => isRecord(value) && Object.values(value).every(isTextList)],
  ['patternProperties', (value: unknown) => isRecord(value) && Object.keys(value).every(isPattern)],
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum', isNumber),
  ...each('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains', isCount),
  ...each('title description format contentEncoding contentMediaType', isText),
  ...each('uniqueItems deprecated readOnly writeOnly', (value: unknown) => typeof value === 'boolean'),
  ...each('allOf anyOf oneOf prefixItems', isFilledList),
]);

/** True also for unknown keywords. */
export function isKeywordValue(keyword: string, value: unknown): boolean {
  return TAKES.get(keyword)?.(value) ?? true;
}

function each(keywords: string, takes: (value: unknown) => boolean): [string, (value: unknown) => boolean][] {
  return keywords.split(' ').map((keyword) => [keyword, takes]);
}

function isType(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0 && new Set(value).size === value.length && value.every((type) => TYPES.has(type))
    : TYPES.has(value);
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && Boolean(new RegExp(value, 'u'));
  } catch {
    return false;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
