import { isRecord } from '../json/json-values.js';
import type { Check, CheckRun, PatternTest, SchemaContext, SchemaNode } from './check-run.js';
import { valuesOf } from './expected-shape.js';

export type JsonObject = Readonly<Record<string, unknown>>;
type ObjectCheck = (value: JsonObject, run: CheckRun) => boolean;

export function objectKeywords(context: SchemaContext): readonly Check[] {
  const checks = [
    ...requiredCheck(context),
    ...memberCheck(context),
    ...countChecks(context),
    ...nameCheck(context),
    ...dependencyChecks(context),
  ];
  return checks.map(
    (check): Check =>
      (value, run) =>
        !isRecord(value) || check(value, run),
  );
}

/** A member that JSON would leave out counts as missing. */
function has(value: JsonObject, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}

function requiredCheck({ schema, gap }: SchemaContext): readonly ObjectCheck[] {
  const { required } = schema;
  if (required === undefined) return [];
  if (!isTextList(required)) return [gap('a "required" that is no list of names')];
  return [(value, run) => allPresent(required, schema, value, run)];
}

function allPresent(required: readonly string[], schema: JsonObject, value: JsonObject, run: CheckRun): boolean {
  run.spend(required.length);
  let isComplete = true;
  for (const key of required) {
    if (has(value, key)) continue;
    isComplete = false;
    if (!run.wantsFaults) return false;
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const unknownNames = () => Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
    const shape = Object.hasOwn(properties, key) ? properties[key] : true;
    run.fail('required', 'is missing', { shape }, { key, guess: { wanted: key, among: unknownNames } });
  }
  return isComplete;
}

interface Members {
  readonly named: ReadonlyMap<string, SchemaNode>;
  readonly patterns: readonly { readonly isMatch: PatternTest | undefined; readonly node: SchemaNode }[];
  readonly additional: SchemaNode | undefined;
}

function memberCheck(context: SchemaContext): readonly ObjectCheck[] {
  const { schema, compile, pattern: compilePattern } = context;
  const { properties, patternProperties, additionalProperties } = schema;
  if (properties === undefined && patternProperties === undefined && additionalProperties === undefined) return [];
  const members: Members = {
    named: new Map(nodesUnder(properties, compile)),
    patterns: nodesUnder(patternProperties, compile).map(([pattern, node]) => ({
      isMatch: compilePattern(pattern),
      node,
    })),
    additional: compile(additionalProperties),
  };
  return [
    (value, run) => {
      let fits = true;
      for (const [key, item] of membersOf(value, run)) {
        if (item === undefined || checkMember(key, item, members, schema, run)) continue;
        fits = false;
        if (!run.wantsFaults) return false;
      }
      return fits;
    },
  ];
}

function checkMember(key: string, item: unknown, members: Members, schema: JsonObject, run: CheckRun): boolean {
  const named = members.named.get(key);
  let fits = named === undefined || run.checkMember(key, named, item);
  let isKnown = named !== undefined;
  for (const { isMatch, node } of members.patterns) {
    if (isMatch === undefined) {
      run.gaps++; // it may or may not match
      isKnown = true;
    } else if (isMatch(key, run)) {
      fits = run.checkMember(key, node, item) && fits;
      isKnown = true;
    }
  }
  if (isKnown || members.additional !== undefined) run.evaluated?.properties.add(key);
  if (isKnown || members.additional === undefined) return fits;
  if (members.additional.schema !== false) return run.checkMember(key, members.additional, item);
  return failUnknown(key, schema, run);
}

export function failUnknown(key: string, schema: JsonObject, run: CheckRun): false {
  if (!run.wantsFaults) return false;
  const names = () => (isRecord(schema.properties) ? Object.keys(schema.properties) : []);
  const expected = () => (names().length === 0 ? 'no members' : `one of ${valuesOf(names())}`);
  return run.fail('unknown', 'is not known here', expected, { key, guess: { wanted: key, among: names } });
}

const STEPS_PER_MEMBER = 5;

/** Charged at once, because a large object takes a while. */
export function membersOf(value: JsonObject, run: CheckRun): readonly (readonly [string, unknown])[] {
  const members = Object.entries(value);
  run.spend(STEPS_PER_MEMBER * members.length);
  return members;
}

function countChecks({ schema }: SchemaContext): readonly ObjectCheck[] {
  const { minProperties, maxProperties } = schema;
  const checks: ObjectCheck[] = [];
  const count = (value: JsonObject, run: CheckRun) =>
    membersOf(value, run).filter(([, item]) => item !== undefined).length;
  if (typeof minProperties === 'number') {
    checks.push((value, run) => {
      const got = count(value, run);
      if (got >= minProperties) return true;
      return run.fail('size', `must have at least ${minProperties} members, got ${got}`, { shape: schema });
    });
  }
  if (typeof maxProperties === 'number') {
    checks.push((value, run) => {
      const got = count(value, run);
      if (got <= maxProperties) return true;
      return run.fail('size', `must have at most ${maxProperties} members, got ${got}`, { shape: schema });
    });
  }
  return checks;
}

function nameCheck({ schema, compile }: SchemaContext): readonly ObjectCheck[] {
  const node = compile(schema.propertyNames);
  if (node === undefined) return [];
  return [
    (value, run) => {
      const [odd] = membersOf(value, run).find(([key]) => !run.fits(node, key)) ?? [];
      if (odd === undefined) return true;
      return run.fail('names', 'has a name that is not allowed here', { shape: schema.propertyNames }, { key: odd });
    },
  ];
}

function dependencyChecks({ schema, compile }: SchemaContext): readonly ObjectCheck[] {
  const { dependentRequired, dependentSchemas, dependencies } = schema; // until draft 7 the last one is both
  const required = [dependentRequired, dependencies].flatMap((map) => (isRecord(map) ? Object.entries(map) : []));
  const schemas = [dependentSchemas, dependencies].flatMap((map) => nodesUnder(map, compile));
  const checks: ObjectCheck[] = [];
  for (const [key, names] of required) {
    if (isTextList(names)) checks.push((value, run) => !has(value, key) || allPresent(names, schema, value, run));
  }
  for (const [key, node] of schemas) checks.push((value, run) => !has(value, key) || run.check(node, value));
  return checks;
}

function nodesUnder(map: unknown, compile: SchemaContext['compile']): readonly (readonly [string, SchemaNode])[] {
  if (!isRecord(map)) return [];
  return Object.entries(map).flatMap(([key, schema]) => {
    const node = compile(schema);
    return node === undefined ? [] : [[key, node] as const];
  });
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
