import { declaredIn, type Json, recordOf, schemaOf, typesOf, valuesOf } from '../call-words/schema-types.js';
import type { ArgumentsRequest, Candidate } from './complete.js';

/** An argument of a tool, for completion. */
export interface KnownArgument {
  readonly name: string;
  /** Its types, and what the server says of it. */
  readonly about: string;
  /** Texts of its values, if the schema lists them. */
  readonly values?: readonly string[] | undefined;
  /** May be given more than once. */
  readonly isList?: true | undefined;
}

/** Arguments in a tool's schema, required ones first. */
export function argumentsIn(schema: Json): readonly KnownArgument[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const all = Object.keys(declaredIn(schema)).slice(0, 200);
  const names = [...all.filter((name) => required.includes(name)), ...all.filter((name) => !required.includes(name))];
  return names.map((name) => {
    const own = schemaOf(name, schema);
    const types = [...typesOf(own, schema)];
    const values = valuesOf(own, schema)
      .filter((value) => typeof value !== 'object')
      .slice(0, 100)
      .map(String);
    const { description } = { ...own, ...recordOf(declaredIn(schema)[name]) };
    const facts = [types.join(' or '), required.includes(name) ? 'required' : '', description].filter(
      (fact) => typeof fact === 'string' && fact !== '',
    );
    return {
      name,
      about: facts.join(', ').slice(0, 120),
      ...(values.length > 0 && { values }),
      ...(types.includes('array') && { isList: true }),
    };
  });
}

export function argumentCandidates(
  known: readonly KnownArgument[],
  { given, key, isOption }: ArgumentsRequest,
): readonly Candidate[] {
  if (key !== undefined) {
    const { values = [], about } = known.find(({ name }) => name === key) ?? {};
    return values.map((value) => ({ value, description: about }));
  }
  const isGiven = ({ name, isList }: KnownArgument): boolean =>
    !isList && given.some((word) => word.replace(/^--/, '').replace(/[:=][\s\S]*$/, '') === name);
  return known
    .filter((each) => !isGiven(each))
    .map(({ name, about }) => ({ value: isOption ? `--${name}` : `${name}=`, description: about }));
}
