import type { Check, CheckRun, SchemaContext, SchemaNode } from './check-run.js';
import type { KeywordFault } from './schema-fault.js';

const MAX_EXPLAINED = 20;

export function combinedKeywords(context: SchemaContext): readonly Check[] {
  return [
    ...allOfCheck(context),
    ...anyOfCheck(context),
    ...oneOfCheck(context),
    ...notCheck(context),
    ...conditionCheck(context),
  ];
}

function nodesOf(list: unknown, { compile }: SchemaContext): readonly SchemaNode[] {
  return Array.isArray(list) ? list.flatMap((schema) => compile(schema) ?? []) : [];
}

function allOfCheck(context: SchemaContext): readonly Check[] {
  return nodesOf(context.schema.allOf, context).map(
    (node): Check =>
      (value, run) =>
        run.check(node, value),
  );
}

function anyOfCheck(context: SchemaContext): readonly Check[] {
  const nodes = nodesOf(context.schema.anyOf, context);
  if (nodes.length === 0) return [];
  return [
    (value, run) => {
      let fits = false;
      for (const node of nodes) {
        if (!run.fits(node, value)) continue;
        if (run.evaluated === undefined) return true;
        fits = true; // and go on: each may have evaluated other members
      }
      return fits || reportAlternatives('anyOf', nodes, context, value, run);
    },
  ];
}

function oneOfCheck(context: SchemaContext): readonly Check[] {
  const nodes = nodesOf(context.schema.oneOf, context);
  if (nodes.length === 0) return [];
  return [
    (value, run) => {
      const gaps = run.gaps;
      const fitting = nodes.filter((node) => run.fits(node, value)).length;
      if (fitting === 1) return true;
      if (fitting === 0) return reportAlternatives('oneOf', nodes, context, value, run);
      // Two may seem to fit where something passed unchecked.
      return run.gaps > gaps || run.fail('oneOf', 'fits more than one of the allowed forms', { shape: context.schema });
    },
  ];
}

/** Reports the faults of the most likely alternative, or that none fits. */
function reportAlternatives(
  keyword: string,
  nodes: readonly SchemaNode[],
  { schema }: SchemaContext,
  value: unknown,
  run: CheckRun,
): false {
  if (!run.wantsFaults) return false;
  const here = run.pointer;
  const meant = nodes
    .slice(0, MAX_EXPLAINED)
    .map((node) => run.faultsOf(node, value))
    .filter((faults) => !faults.some(({ keyword, path }) => keyword === 'type' && path === here))
    .map((faults) => ({ faults, misses: missesOf(faults) }))
    .toSorted((left, right) => left.misses - right.misses);
  const [best, second] = meant;
  if (best !== undefined && (second === undefined || best.misses < second.misses)) return run.add(best.faults);
  return run.fail(keyword, 'fits none of the allowed forms', { shape: schema });
}

/** A value that distinguishes the alternatives, such as `kind`, weighs most. */
function missesOf(faults: readonly KeywordFault[]): number {
  return faults.reduce((sum, { keyword }) => sum + (keyword === 'const' || keyword === 'enum' ? 100 : 1), 0);
}

function notCheck({ schema, compile }: SchemaContext): readonly Check[] {
  const node = compile(schema.not);
  if (node === undefined) return [];
  return [
    (value, run) => {
      const { gaps, evaluated } = run;
      run.evaluated = undefined;
      const fits = run.fits(node, value);
      run.evaluated = evaluated;
      if (!fits || run.gaps > gaps) return true;
      return run.fail('not', 'has a form that is not allowed here', { shape: schema });
    },
  ];
}

function conditionCheck({ schema, compile }: SchemaContext): readonly Check[] {
  const condition = compile(schema.if);
  if (condition === undefined) return [];
  const [whenTrue, whenFalse] = [compile(schema.then), compile(schema.else)];
  return [
    (value, run) => {
      const { gaps } = run;
      const holds = run.fits(condition, value);
      if (holds && run.gaps > gaps) return true; // seems to fit, which allows no conclusion
      const next = holds ? whenTrue : whenFalse;
      return next === undefined || run.check(next, value);
    },
  ];
}
