import { isRecord } from '@x/internal/json';
import {
  isNamedSecret,
  isSecretName,
  literalsOf,
  type Redactor,
  secretsInWords,
  withRedactedKeys,
} from '@x/internal/secrets';
import { createRedactor } from '@x/mcp-config-schema';
import type { Io } from '../command.js';
import { mask, secretRangesIn, structureIn, structureText, withoutShapes } from './redact-text.js';

/** Hides values of variables whose names are those of secrets. */
export function environmentRedactor(env: Io['env']): Redactor {
  const values = Object.entries(env).flatMap(([name, value = '']) => (isSecretValue(name, value) ? [value] : []));
  return redactorOfValues(values);
}

/** Hides the secrets in a program's arguments, such as `--api-key …` and `NAME_TOKEN=…`. */
export function argumentRedactor(words: readonly string[]): Redactor {
  const assigned = words.flatMap((word) => {
    const [, name = '', value = ''] = /^-*([\w.-]{2,80})=(.+)$/s.exec(word) ?? [];
    return isSecretValue(name, value) ? [value] : [];
  });
  const whole = secretsInWords(words.map(withoutRoot)).flatMap(({ index, isWhole }) => {
    const word = words[index];
    return isWhole && word !== undefined ? [word] : [];
  });
  const parts = words.flatMap((word) => secretRangesIn(word).map(({ start, end }) => word.slice(start, end)));
  return redactorOfValues([...assigned, ...whole, ...parts]);
}

/** Also a token without the scheme before it. */
function redactorOfValues(values: readonly string[]): Redactor {
  return createRedactor(values.flatMap((value) => [value, ...literalsOf(value)]));
}

/** A config may name the file of a secret. In a recording a value like a path is hidden, too: secrets may have a "/". */
function isSecretValue(name: string, value: string): boolean {
  return isNamedSecret(name, value) || isNamedSecret(name, withoutRoot(value));
}

function withoutRoot(value: string): string {
  return value.replace(/^(?:[~.]{0,2}[/\\]|[A-Za-z]:\\|file:)+/, '');
}

/**
 * A message without the values that `redactor` knows, texts and numbers under the names of secrets, and secrets in
 * texts and keys, each as `***`.
 *
 * @throws {RangeError} It is nested too deeply.
 */
export function redactMessage(message: unknown, redactor: Redactor): unknown {
  return redactor.redactData(hidden(message, 'data'));
}

/** `names`: of the properties in a schema, which describes secrets and has none. */
type Place = 'data' | 'secret' | 'schema' | 'names' | 'schema of a secret';

function hidden(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return hiddenItems(value, place);
  if (isRecord(value)) {
    const entries = Object.entries(value);
    const isPair = place === 'data' && namesSecret(value);
    const members = entries.map(([key, member]) => [
      key,
      hidden(member, isPair && valuesOfPair.has(key) ? 'secret' : placeOf(key, member, place)),
    ]);
    return withRedactedKeys(Object.fromEntries(members), withoutShapes);
  }
  if (place === 'secret' && (typeof value === 'string' || typeof value === 'number')) return mask;
  return typeof value === 'string' ? hiddenText(value) : value;
}

/** Longer texts are no words of a command line. */
const longestWord = 1_000;

/** Words of a command line may follow an option, as in `["--password", …]`. */
function hiddenItems(items: readonly unknown[], place: Place): readonly unknown[] {
  const words = items.map((item) => (typeof item === 'string' && item.length <= longestWord ? item : ''));
  const secret = new Set(secretsInWords(words).flatMap(({ index, isWhole }) => (isWhole ? [index] : [])));
  return items.map((item, index) => hidden(item, secret.has(index) ? 'secret' : place));
}

/** A text that is JSON is treated as the data in it, and stays as it is if that has no secret. */
function hiddenText(text: string): string {
  const structure = structureIn(text);
  if (structure === undefined) return withoutShapes(text);
  const shown = structureText(hidden(structure, 'data'), text);
  return shown === structureText(structure, text) ? withoutShapes(text) : shown;
}

/** An item of a list of headers or variables, such as `{ name, value }`. */
function namesSecret(item: Readonly<Record<string, unknown>>): boolean {
  return namesOfPair.some((key) => {
    const name = Object.hasOwn(item, key) ? item[key] : undefined;
    return typeof name === 'string' && isSecretName(name);
  });
}

const namesOfPair = ['name', 'key', 'id', 'header', 'variable'];
const valuesOfPair: ReadonlySet<string> = new Set(['value', 'values', 'default']);

function placeOf(key: string, value: unknown, place: Place): Place {
  const isSecret = isSecretName(key) && !namesOfTokens.has(key);
  if (place === 'secret') return place;
  if (place === 'names' && isRecord(value)) return isSecret ? 'schema of a secret' : 'schema';
  if (place === 'schema of a secret' && !describing.has(key)) return 'secret';
  if (isSecret) return 'secret';
  if (place === 'data') return schemas.has(key) && isRecord(value) ? 'schema' : place;
  if (place === 'names' || valuesOfSchema.has(key)) return 'data';
  return namesOfSchema.has(key) ? 'names' : place;
}

/** Members of the protocol, which are no secrets. */
const namesOfTokens: ReadonlySet<string> = new Set(['progressToken']);
const schemas: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema', 'requestedSchema']);
const namesOfSchema: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const valuesOfSchema: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);
/** Keywords that say what a secret looks like. The others may have its value. */
const describing: ReadonlySet<string> = new Set(
  [
    ['type', 'title', 'description', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', '$ref'],
    ['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'anyOf', 'oneOf', 'allOf'],
  ].flat(),
);
