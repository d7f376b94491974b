import { isRecord } from './json/json-values.js';
import { nearestName } from './names/nearest-names.js';

export { nearestName };

/** The longest delay of a timer, in milliseconds; a longer one fires at once. */
export const longestTimerMs = 2_147_483_647;

export type OptionCheck =
  | { readonly kind: 'flag' }
  /** A whole number of the unit `of`. */
  | { readonly kind: 'number'; readonly min: number; readonly max?: number; readonly of?: string }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  /** Not empty. Errors do not repeat the value. */
  | { readonly kind: 'text' }
  | { readonly kind: 'texts' }
  | { readonly kind: 'function' }
  | { readonly kind: 'object' }
  | { readonly kind: 'signal' }
  /** `check` returns a description of valid values, or `undefined` for one. Default: any value. */
  | { readonly kind: 'other'; readonly check?: ((value: unknown) => string | undefined) | undefined };

export const milliseconds = { kind: 'number', of: 'milliseconds', min: 1, max: longestTimerMs } as const;
export const bytes = { kind: 'number', of: 'bytes', min: 1 } as const;

export type OptionRows<Options> = {
  readonly [Name in keyof Options]-?: OptionCheck & {
    readonly default?: Exclude<Options[Name], undefined>;
    readonly required?: true;
  };
};

/** Options with all defaults filled in. */
export type Resolved<Options, Rows> = {
  readonly [Name in keyof Options]-?: Name extends keyof Rows
    ? Rows[Name] extends { readonly default: unknown } | { readonly required: true }
      ? Exclude<Options[Name], undefined>
      : Options[Name] | undefined
    : never;
};

export interface OptionTable<Options, Rows> {
  /**
   * Checks the options, and fills in the defaults for absent and `undefined` ones.
   *
   * @param where - Prefix of option names in errors, such as `limits.`.
   * @throws {TypeError} Names the missing, misspelt or invalid option.
   */
  read(given: Options | undefined, where?: string): Resolved<Options, Rows>;
  readonly names: readonly string[];
}

/**
 * Declares the options of one function.
 *
 * @param others - Handling of unknown keys. `refused`: an error. `ignored`: an error only for a near miss of an option.
 */
export function optionTable<Options extends object>(others: 'refused' | 'ignored' = 'refused') {
  return <const Rows extends OptionRows<Options>>(rows: Rows): OptionTable<Options, Rows> => {
    const names = Object.keys(rows);
    const checks = new Map<string, OptionCheck>(Object.entries(rows));
    const all: readonly [string, OptionRows<Record<string, unknown>>[string]][] = Object.entries(rows);
    const defaults = Object.fromEntries(all.map(([name, row]) => [name, row.default]));
    const required = all.filter(([, row]) => row.required).map(([name]) => name);
    return {
      names,
      read(given = {} as Options, where = '') {
        requireObject(where.slice(0, -1) || 'options', given, names);
        const resolved: Record<string, unknown> = { ...defaults };
        for (const name of Object.keys(given)) {
          const check = checks.get(name);
          const value = given[name];
          if (value === undefined) continue;
          if (check === undefined) {
            refuseUnknown(name, names, { where, others });
            continue;
          }
          checkOption(`${where}${name}`, check, value);
          resolved[name] = value;
        }
        for (const name of required) {
          if (resolved[name] === undefined) checkOption(`${where}${name}`, checks.get(name) as OptionCheck, undefined);
        }
        return resolved as Resolved<Options, Rows>;
      },
    };
  };
}

/** @throws {TypeError} */
export function checkOption(name: string, check: OptionCheck, value: unknown): void {
  const expected = unmet(check, value);
  if (expected === undefined) return;
  throw new TypeError(`${name} must be ${expected}${check.kind === 'other' ? '' : `, got ${shown(check, value)}`}`);
}

function unmet(check: OptionCheck, value: unknown): string | undefined {
  switch (check.kind) {
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'number': {
      const { min, max = Number.MAX_SAFE_INTEGER, of } = check;
      if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return undefined;
      const range = check.max === undefined ? `from ${min} on` : `from ${min} to ${max}`;
      return `a whole number ${of === undefined ? '' : `of ${of} `}${range}`;
    }
    case 'word':
      return check.words.includes(value as string)
        ? undefined
        : `one of ${check.words.map((word) => `"${word}"`).join(', ')}`;
    case 'text':
      return typeof value === 'string' && value !== '' ? undefined : 'a text that is not empty';
    case 'texts':
      return Array.isArray(value) && value.every((each) => typeof each === 'string') ? undefined : 'a list of texts';
    case 'function':
      return typeof value === 'function' ? undefined : 'a function';
    case 'object':
      return isRecord(value) ? undefined : 'an object';
    case 'signal':
      return typeof Object(value).throwIfAborted === 'function'
        ? undefined
        : 'an AbortSignal, such as controller.signal';
    case 'other':
      return check.check?.(value);
  }
}

/** @throws {TypeError} The value is a promise, a list, a signal or anything else without named members. */
export function requireObject(
  what: string,
  value: unknown,
  names: readonly string[],
): asserts value is Readonly<Record<string, unknown>> {
  refusePromise(what, value);
  if (isRecord(value) && !(Symbol.iterator in value || 'throwIfAborted' in value)) return;
  throw new TypeError(`${what} must be an object with ${names.join(', ')}`);
}

/** @throws {TypeError} */
export function refusePromise(what: string, value: unknown): void {
  if (typeof Object(value).then === 'function') throw new TypeError(`${what} is a promise; await it first`);
}

/** Options of what can be cancelled. */
export const signalOptions = optionTable<{ readonly signal?: AbortSignal | undefined }>()({
  signal: { kind: 'signal' },
});

interface UnknownKeys {
  /** Precedes the message. */
  readonly place?: string;
  /** Prefix of the names. */
  readonly where?: string;
  /** Default `refused`. */
  readonly others?: 'refused' | 'ignored';
  /** Default `option`. */
  readonly what?: string;
}

/** @throws {TypeError} Names the first key that is unknown, and the nearest known one. */
export function refuseUnknownKeys(value: object, names: readonly string[], options?: UnknownKeys): void {
  for (const name of Object.keys(value)) if (!names.includes(name)) refuseUnknown(name, names, options);
}

/** @throws {TypeError} Names the nearest known one. Ignored ones are refused only if they are near. */
export function refuseUnknown(
  name: string,
  names: readonly string[],
  { place = '', where = '', others = 'refused', what = 'option' }: UnknownKeys = {},
): void {
  const nearest = nearestName(name, names);
  if (nearest === undefined && others === 'ignored') return;
  const hint = nearest === undefined ? `the ${what}s are ${names.join(', ')}` : `did you mean ${where}${nearest}?`;
  const article = /^[aeiou]/.test(what) ? 'an' : 'a';
  throw new TypeError(`${place}${where}${name} is not ${article} ${what}; ${hint}`);
}

/** At most 100 characters. For values that may contain a secret, only the type. */
function shown({ kind }: OptionCheck, value: unknown): string {
  if (kind === 'function' || kind === 'text' || kind === 'texts') return typeof value;
  const text = typeof value === 'number' || kind === 'word' ? String(value) : JSON.stringify(value);
  return String(text).slice(0, 100);
}
