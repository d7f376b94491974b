import { checkOption, nearestName, refuseUnknown, requireObject } from '@x/internal/options';
import {
  collectFields,
  type FieldGroups,
  fieldPlaces,
  type HealthFields,
  healthCheckTimeout,
  type ServerField,
  type ServerFields,
} from '@x/internal/server-fields';
import type { ToolCheckSpec } from './spec.js';

/** The fields of a spec with all defaults. */
export interface SpecFields extends ServerFields, Omit<FieldGroups, 'health'> {
  readonly health: HealthPolicy;
}

type HealthPolicy = HealthFields & { readonly timeoutMs: number } & (
    | { readonly method: 'ping' }
    | Pick<ToolCheckSpec, 'method' | 'tool' | 'args'>
  );

type Values = Readonly<Record<string, unknown>>;
type Group = keyof FieldGroups;

const groupKeys: Readonly<Record<Group, readonly string[]>> = {
  limits: namesIn('limits'),
  restart: namesIn('restart'),
  health: [...namesIn('health'), 'method', 'timeoutMs', 'tool', 'args'],
};

const specKeys: readonly string[] = [
  ...namesIn(undefined),
  ...Object.keys(groupKeys),
  ...[
    'name',
    'tools',
    'command',
    'args',
    'env',
    'secrets',
    'cwd',
    'logDirectory',
    'url',
    'headers',
    'auth',
    'server',
    'unsetVariables',
  ],
];

/** Keys of loaded configs and of `mcpServers` objects that the manager does not read. */
const otherKeys = ['transport', 'type', 'tags', 'layer', 'source', 'logDirectorySource'];

/** Paths of grouped fields by their own names, and by their keys in files. */
const paths: ReadonlyMap<string, string> = new Map([
  ...fieldPlaces.filter(({ group }) => group !== undefined).flatMap(spellings),
  ['healthCheck', 'health'] as const,
]);

function spellings({ name, path, row }: (typeof fieldPlaces)[number]): readonly (readonly [string, string])[] {
  const key = row.key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [
    [key, path],
    [name, path],
  ];
}

function namesIn(wanted: Group | undefined): readonly string[] {
  return fieldPlaces.filter(({ group }) => group === wanted).map(({ name }) => name);
}

/**
 * @param where - Precedes messages.
 * @throws {TypeError} Names the path of the field that is unknown or out of bounds.
 */
export function readSpecFields(where: string, spec: Values): SpecFields {
  refuseMisspelt(where, spec);
  const groups = {
    limits: readGroup(where, 'limits', spec.limits),
    restart: readGroup(where, 'restart', spec.restart),
    health: readGroup(where, 'health', spec.health),
  };
  const fields = collectFields(({ path, group, name, row }) =>
    resolveField(`${where}${path}`, row, (group === undefined ? spec : groups[group])[name]),
  );
  return { ...fields, health: resolveHealth(where, fields.health, groups.health) };
}

function readGroup(where: string, group: Group, given: unknown = {}): Values {
  const known = groupKeys[group];
  requireObject(`${where}${group}`, given, known);
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) refuseField(name, known, { place: where, where: `${group}.` });
  }
  return given;
}

function refuseMisspelt(where: string, spec: Values): void {
  // Entries of extensions have `enabled` beside the fields that count.
  const isEnabled = spec.enabled === true || spec.disabled === true || spec.autoStart === false;
  const known = [...specKeys, ...otherKeys];
  for (const name of Object.keys(spec)) {
    if (known.includes(name) || (name === 'enabled' && isEnabled)) continue;
    refuseField(name, known, { place: where, others: 'ignored' });
  }
}

interface RefusedPlace {
  readonly place: string;
  readonly where?: string;
  readonly others?: 'ignored';
}

function refuseField(name: string, known: readonly string[], refused: RefusedPlace): void {
  const path = paths.get(nearestName(name, [...known, ...paths.keys()]) ?? '');
  if (path === undefined) refuseUnknown(name, known, { ...refused, what: 'field' });
  else throw new TypeError(`${refused.place}${refused.where ?? ''}${name} is not a field; did you mean ${path}?`);
}

function resolveHealth(where: string, fields: HealthFields, given: Values): HealthPolicy {
  const { method = 'ping', tool, args, timeoutMs = healthCheckTimeout.default } = given;
  checkOption(`${where}health.method`, { kind: 'word', words: ['ping', 'tool_call'] }, method);
  checkOption(`${where}health.timeoutMs`, { kind: 'number', ...healthCheckTimeout }, timeoutMs);
  const base = { ...fields, timeoutMs: timeoutMs as number };
  if (method === 'ping') {
    if (tool === undefined && args === undefined) return { ...base, method };
    throw new TypeError(`${where}health.${tool === undefined ? 'args' : 'tool'} requires "method": "tool_call"`);
  }
  requireTexts(where, { 'health.tool': tool });
  if (args !== undefined) checkOption(`${where}health.args`, { kind: 'object' }, args);
  return { ...base, method: 'tool_call', tool: tool as string, args: args as ToolCheckSpec['args'] };
}

function resolveField(name: string, row: ServerField, value: unknown = row.default): unknown {
  if (value === undefined) return undefined;
  if (row.kind === 'tools') return listOfTexts(name, value);
  checkOption(name, row, value);
  return value;
}

function listOfTexts(name: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list of strings`);
  requireTexts('', named(name, value));
  return [...value];
}

/** No system accepts a NUL in an argument, path or variable. Messages omit values, which may be secrets. */
export function requireTexts(where: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && !value.includes('\0')) continue;
    throw new TypeError(`${where}${name} must be a string without NUL characters`);
  }
}

export function named(
  prefix: string,
  values: readonly unknown[] | Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}
