import { isRecord } from '../json/json-values.js';
import type { Check, SchemaContext } from './check-run.js';
import { failUnknown, membersOf } from './keywords-object.js';

/** Keywords about the members that no other keyword has evaluated. */
export function unevaluatedKeywords(context: SchemaContext): readonly Check[] {
  return [...propertiesCheck(context), ...itemsCheck(context)];
}

function propertiesCheck({ schema, compile }: SchemaContext): readonly Check[] {
  const node = compile(schema.unevaluatedProperties);
  if (node === undefined) return [];
  return [
    (value, run) => {
      const { evaluated } = run;
      if (!isRecord(value) || evaluated === undefined || run.gaps > evaluated.gaps) return true;
      let fits = true;
      for (const [key, item] of membersOf(value, run)) {
        if (item === undefined || evaluated.properties.has(key)) continue;
        evaluated.properties.add(key);
        if (node.schema === false ? failUnknown(key, schema, run) : run.checkMember(key, node, item)) continue;
        fits = false;
      }
      return fits;
    },
  ];
}

function itemsCheck({ schema, compile }: SchemaContext): readonly Check[] {
  const node = compile(schema.unevaluatedItems);
  if (node === undefined) return [];
  return [
    (value, run) => {
      const { evaluated } = run;
      if (!Array.isArray(value) || evaluated === undefined || run.gaps > evaluated.gaps) return true;
      run.spend(value.length);
      let fits = true;
      for (const [index, item] of value.entries()) {
        if (evaluated.items.has(index)) continue;
        evaluated.items.add(index);
        fits = run.checkMember(index, node, item ?? null) && fits;
      }
      return fits;
    },
  ];
}
