import type { Check, CheckRun, SchemaContext, SchemaNode } from './check-run.js';
import { type JsonObject, membersOf } from './keywords-object.js';

type ArrayCheck = (value: readonly unknown[], run: CheckRun) => boolean;

export function arrayKeywords(context: SchemaContext): readonly Check[] {
  const checks = [...itemCheck(context), ...containsCheck(context), ...countChecks(context), ...uniqueCheck(context)];
  return checks.map(
    (check): Check =>
      (value, run) =>
        !Array.isArray(value) || check(value, run),
  );
}

function itemCheck({ schema, compile }: SchemaContext): readonly ArrayCheck[] {
  // Until 2019 a list under `items` had the meaning of `prefixItems`, and `additionalItems` that of `items`.
  const isOldTuple = Array.isArray(schema.items);
  const tuple = isOldTuple ? schema.items : schema.prefixItems;
  const first = Array.isArray(tuple) ? tuple.map((item) => compile(item)) : [];
  const rest = compile(isOldTuple ? schema.additionalItems : schema.items);
  if (first.length === 0 && rest === undefined) return [];
  return [
    (value, run) => {
      const length = rest === undefined ? Math.min(first.length, value.length) : value.length;
      run.spend(length);
      let fits = true;
      for (let index = 0; index < length; index++) {
        run.evaluated?.items.add(index);
        if (checkItem(index < first.length ? first[index] : rest, index, value, run)) continue;
        fits = false;
        if (!run.wantsFaults) return false;
      }
      return fits;
    },
  ];
}

function checkItem(node: SchemaNode | undefined, index: number, value: readonly unknown[], run: CheckRun): boolean {
  return node === undefined || run.checkMember(index, node, value[index] ?? null); // JSON turns a gap into null
}

function containsCheck({ schema, compile }: SchemaContext): readonly ArrayCheck[] {
  const node = compile(schema.contains);
  if (node === undefined) return [];
  const least = typeof schema.minContains === 'number' ? schema.minContains : 1;
  const most = typeof schema.maxContains === 'number' ? schema.maxContains : Number.POSITIVE_INFINITY;
  return [
    (value, run) => {
      const gaps = run.gaps;
      let count = 0;
      run.spend(value.length);
      for (const [index, item] of value.entries()) {
        const outer = run.evaluated;
        run.evaluated = undefined;
        const fits = run.fits(node, item);
        run.evaluated = outer;
        if (!fits) continue;
        count++;
        outer?.items.add(index);
      }
      if (count < least) {
        return run.fail('contains', `must have at least ${least} items of one kind, got ${count}`, {
          shape: schema.contains,
        });
      }
      if (count <= most || run.gaps > gaps) return true;
      return run.fail('contains', `must have at most ${most} items of one kind, got ${count}`, {
        shape: schema.contains,
      });
    },
  ];
}

function countChecks({ schema }: SchemaContext): readonly ArrayCheck[] {
  const { minItems, maxItems } = schema;
  const checks: ArrayCheck[] = [];
  if (typeof minItems === 'number') {
    checks.push(({ length }, run) => {
      return (
        length >= minItems || run.fail('size', `must have at least ${minItems} items, got ${length}`, { shape: schema })
      );
    });
  }
  if (typeof maxItems === 'number') {
    checks.push(({ length }, run) => {
      return (
        length <= maxItems || run.fail('size', `must have at most ${maxItems} items, got ${length}`, { shape: schema })
      );
    });
  }
  return checks;
}

function uniqueCheck({ schema }: SchemaContext): readonly ArrayCheck[] {
  if (schema.uniqueItems !== true) return [];
  return [
    (value, run) => {
      const seen = new Set<string>();
      for (const [index, item] of value.entries()) {
        const text = canonicalText(item, run, 0);
        if (seen.has(text)) {
          return run.fail('unique', 'is there twice', 'items that differ from one another', { key: String(index) });
        }
        seen.add(text);
      }
      return true;
    },
  ];
}

const MAX_DEPTH = 200;

/** One text for all spellings of a value. */
function canonicalText(value: unknown, run: CheckRun, depth: number): string {
  run.spend(1);
  if (depth > MAX_DEPTH) return run.giveUp(`the value nests deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, run, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value) ?? 'null';
    run.spend(Math.ceil(text.length / 20));
    return text;
  }
  const entries = membersOf(value as JsonObject, run).filter(([, item]) => item !== undefined);
  const parts = entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item, run, depth + 1)}`);
  return `{${parts.toSorted().join(',')}}`;
}
