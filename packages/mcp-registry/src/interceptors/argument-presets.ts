import type { JsonSchema, ToolArguments, ToolCaller } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import { quote } from '@x/internal/text';
import type { Interceptor, ToolView } from '@x/internal/views';
import { RegistryError } from '../errors.js';
import { NamedTools } from './named-tools.js';

/** Top-level arguments that the app sets for some tools. */
export interface ArgumentPreset {
  /** Patterns as in `allowedTools` of a role, such as `github.*`. */
  readonly tools: readonly string[];
  /**
   * Values that are always sent, or functions of the caller. Callers do not see these arguments, and their calls with one
   * are refused. Default: none.
   */
  readonly fixed?: Readonly<Record<string, unknown>> | undefined;
  /** Values for absent arguments, which become optional. Default: none. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Arguments that callers neither see nor send. Default: none. */
  readonly hidden?: readonly string[] | undefined;
}

const presetRows = optionTable<ArgumentPreset>()({
  tools: { kind: 'texts', required: true },
  fixed: { kind: 'object', default: {} },
  defaults: { kind: 'object', default: {} },
  hidden: { kind: 'texts', default: [] },
});

interface Preset {
  readonly patterns: NamedTools;
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly hidden: readonly string[];
}

/**
 * Sets, supplies and hides arguments of tools. The tool's own schema checks the result.
 *
 * @param presets - If several concern one argument, the first decides.
 * @throws {TypeError} naming the invalid field.
 */
export function presetArguments(presets: readonly ArgumentPreset[]): Interceptor {
  if (!Array.isArray(presets)) throw new TypeError('presetArguments() takes a list of presets');
  const read = presets.map((given: ArgumentPreset, index): Preset => {
    const { tools, ...preset } = presetRows.read(given, `presets[${index}].`);
    return { ...preset, patterns: new NamedTools(tools) };
  });
  return {
    name: 'preset-arguments',
    list(tool) {
      const rules = rulesFor(read, tool, tool.inputSchema);
      return rules.size === 0 ? tool : { ...tool, inputSchema: shownSchema(tool.inputSchema, rules) };
    },
    call({ tool, args, caller, ownInputSchema }, next) {
      const rules = rulesFor(read, tool, ownInputSchema);
      return rules.size === 0 ? next() : next({ args: presetFor({ tool, args, caller }, rules) });
    },
  };
}

type Rule =
  | { readonly kind: 'fixed'; readonly value: unknown }
  | { readonly kind: 'default'; readonly value: unknown }
  | { readonly kind: 'hidden' };

/** The rule of each argument. A fixed one that the tool lacks is not sent, and callers do not send it either. */
function rulesFor(presets: readonly Preset[], tool: ToolView, schema: JsonSchema): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  const add = (name: string, rule: Rule) => {
    if (!rules.has(name)) rules.set(name, rule);
  };
  for (const { patterns, fixed, defaults, hidden } of presets) {
    if (!patterns.has(tool)) continue;
    for (const [name, value] of Object.entries(fixed)) {
      add(name, mayTake(schema, name) ? { kind: 'fixed', value } : { kind: 'hidden' });
    }
    for (const [name, value] of Object.entries(defaults)) {
      if (propertiesOf(schema)[name] !== undefined) add(name, { kind: 'default', value });
    }
    for (const name of hidden) add(name, { kind: 'hidden' });
  }
  return rules;
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(properties) ? Object.assign(Object.create(null), properties) : {};
}

/** Keywords that may name an argument, or a value of one. */
const NAMING = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired'];
const TELLING: ReadonlySet<string> = new Set([...NAMING, 'patternProperties', 'examples', 'default', 'const', 'enum']);

/** The tool's own schema refuses an argument that it does not take after all. */
function mayTake(schema: JsonSchema, name: string): boolean {
  return propertiesOf(schema)[name] !== undefined || [...NAMING, '$ref'].some((keyword) => keyword in schema);
}

/** The tool's own schema still checks the call, so the one that callers see may be wider. */
function shownSchema(schema: JsonSchema, rules: ReadonlyMap<string, Rule>): JsonSchema {
  const unseen = new Set(Array.from(rules).flatMap(([name, { kind }]) => (kind === 'default' ? [] : [name])));
  const shown = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === 'properties' && isRecord(value)) return [[keyword, shownProperties(value, rules)]];
    if (keyword === 'required' && Array.isArray(value)) return [[keyword, value.filter((name) => !rules.has(name))]];
    return TELLING.has(keyword) && mentions(value, unseen) ? [] : [[keyword, value]];
  });
  return Object.fromEntries(shown);
}

function shownProperties(properties: JsonSchema, rules: ReadonlyMap<string, Rule>): JsonSchema {
  const shown = Object.entries(properties).flatMap(([name, property]) => {
    const rule = rules.get(name);
    if (rule === undefined) return [[name, property]];
    return rule.kind === 'default'
      ? [[name, isRecord(property) ? { ...property, default: rule.value } : property]]
      : [];
  });
  return Object.fromEntries(shown);
}

function mentions(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return names.has(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => names.has(key) || mentions(each, names));
}

interface PresetCall {
  readonly tool: ToolView;
  readonly args: ToolArguments;
  readonly caller: ToolCaller;
}

function presetFor({ tool, args, caller }: PresetCall, rules: ReadonlyMap<string, Rule>): ToolArguments {
  const sent = new Map(Object.entries(args));
  for (const [name, rule] of rules) {
    if (rule.kind === 'hidden') {
      if (sent.has(name)) throw taken(tool, name);
      continue;
    }
    if (rule.kind === 'default') {
      if (!sent.has(name)) sent.set(name, rule.value);
      continue;
    }
    if (sent.has(name)) throw taken(tool, name);
    const value = typeof rule.value === 'function' ? rule.value(caller) : rule.value;
    if (value === undefined) throw new TypeError(`The preset of ${quote(name)} has no value for this caller`);
    sent.set(name, value);
  }
  return Object.fromEntries(sent);
}

function taken({ name }: ToolView, argument: string): RegistryError {
  const message = `The argument ${quote(argument)} of ${name} is set here; call it without`;
  return new RegistryError('refused', message, { tool: name });
}
