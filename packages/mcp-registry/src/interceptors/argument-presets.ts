import type { JsonSchema, ToolArguments, ToolCaller } from '@x/internal/contracts';
import { isRecord, isSameJson } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import { quote } from '@x/internal/text';
import type { Interceptor, ToolView } from '@x/internal/views';
import { RegistryError } from '../errors.js';
import { ToolPatterns } from '../roles/tool-pattern.js';

/** Arguments that the app sets for some tools. Concerns top-level arguments that a tool's schema names. */
export interface ArgumentPreset {
  /** Patterns as in `allowedTools` of a role, such as `github.*`. */
  readonly tools: readonly string[];
  /**
   * Values that are always sent, or functions of the caller. Callers do not see these arguments, and calls with another
   * value are refused. Default: none.
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
  readonly patterns: ToolPatterns;
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
    return { ...preset, patterns: new ToolPatterns(tools) };
  });
  return {
    name: 'argument-presets',
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

/** The rule of each argument of a tool. */
function rulesFor(presets: readonly Preset[], tool: ToolView, schema: JsonSchema): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const add = (name: string, rule: Rule) => {
    if (Object.hasOwn(properties, name) && !rules.has(name)) rules.set(name, rule);
  };
  for (const { patterns, fixed, defaults, hidden } of presets) {
    if (patterns.find(tool, () => false) === undefined) continue;
    for (const [name, value] of Object.entries(fixed)) add(name, { kind: 'fixed', value });
    for (const [name, value] of Object.entries(defaults)) add(name, { kind: 'default', value });
    for (const name of hidden) add(name, { kind: 'hidden' });
  }
  return rules;
}

function shownSchema(schema: JsonSchema, rules: ReadonlyMap<string, Rule>): JsonSchema {
  const properties = Object.entries(schema.properties as JsonSchema).flatMap(([name, property]) => {
    const rule = rules.get(name);
    if (rule === undefined) return [[name, property]];
    return rule.kind === 'default'
      ? [[name, isRecord(property) ? { ...property, default: rule.value } : property]]
      : [];
  });
  const required = Array.isArray(schema.required) && schema.required.filter((name) => !rules.has(name));
  return { ...schema, properties: Object.fromEntries(properties), ...(required && { required }) };
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
    const value = typeof rule.value === 'function' ? rule.value(caller) : rule.value;
    if (value === undefined) throw new TypeError(`The preset of ${quote(name)} has no value for this caller`);
    if (sent.has(name) && !isSameJson(sent.get(name), value)) throw taken(tool, name);
    sent.set(name, value);
  }
  return Object.fromEntries(sent);
}

function taken({ name }: ToolView, argument: string): RegistryError {
  const message = `The argument ${quote(argument)} of ${name} is set here; call it without`;
  return new RegistryError('refused', message, { tool: name });
}
