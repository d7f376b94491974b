import { quote } from '@x/internal/text';
import type { RoleRule, RoleRules } from './role-rule.js';

const MAX_SHOWN = 10;

/** One role and its rules. `parents` are indexes of layers. */
export interface RoleLayer {
  readonly role: string;
  readonly rules: readonly { readonly rule: RoleRule; readonly parents: readonly number[] }[];
}

/**
 * Roles and their ancestors, ancestors first. Roles without rules are omitted.
 *
 * @throws {TypeError} A rule inherits a role without rules, or itself.
 */
export function orderInheritance(rules: RoleRules, roles: Iterable<string>): readonly RoleLayer[] {
  const rulesOf = groupByRole(rules);
  const layers: RoleLayer[] = [];
  const indexOfRole = new Map<string, number>();
  // Chains of roles may exceed the engine's call stack.
  const path: { readonly role: string; readonly parents: string[] }[] = [];
  const entered = new Set<string>();
  const enter = (name: string, own: readonly RoleRule[]) => {
    path.push({ role: name, parents: own.flatMap(({ inherits = [] }) => inherits).reverse() });
    entered.add(name);
  };

  for (const role of roles) {
    const own = indexOfRole.has(role) ? undefined : rulesOf.get(role);
    if (own !== undefined) enter(role, own);
    finish();
  }
  return layers;

  function finish() {
    for (let current = path.at(-1); current !== undefined; current = path.at(-1)) {
      const parent = current.parents.pop();
      if (parent === undefined) {
        indexOfRole.set(current.role, layers.length);
        layers.push(toLayer(current.role, rulesOf.get(current.role) ?? [], indexOfRole));
        path.pop();
      } else if (!indexOfRole.has(parent)) {
        const inherited = rulesOf.get(parent);
        if (inherited === undefined) throw unknownParent(current.role, parent, rulesOf.keys());
        if (entered.has(parent)) throw cycle([...path.map((each) => each.role), parent]);
        enter(parent, inherited);
      }
    }
  }
}

function groupByRole(rules: RoleRules): ReadonlyMap<string, readonly RoleRule[]> {
  const groups = new Map<string, RoleRule[]>();
  for (const rule of rules) {
    const group = groups.get(rule.role);
    if (group === undefined) groups.set(rule.role, [rule]);
    else group.push(rule);
  }
  return groups;
}

function toLayer(role: string, rules: readonly RoleRule[], indexOfRole: ReadonlyMap<string, number>): RoleLayer {
  const indexesOf = ({ inherits = [] }: RoleRule) =>
    Array.from(new Set(inherits)).flatMap((name) => indexOfRole.get(name) ?? []);
  return { role, rules: rules.map((rule) => ({ rule, parents: indexesOf(rule) })) };
}

function unknownParent(role: string, parent: string, known: Iterable<string>): TypeError {
  const names = Array.from(known, quote);
  const more = names.length > MAX_SHOWN ? ', …' : '';
  return new TypeError(
    `roles: ${quote(role)} inherits ${quote(parent)}, which no rule names; roles are ${names.slice(0, MAX_SHOWN).join(', ')}${more}`,
  );
}

function cycle(path: readonly string[]): TypeError {
  const round = path.slice(path.indexOf(path.at(-1) ?? ''));
  const shown = round.length > MAX_SHOWN ? [...round.slice(0, MAX_SHOWN - 1), round.at(-1) ?? ''] : round;
  return new TypeError(
    `roles: ${shown.map(quote).join(' inherits ')}; a role cannot inherit itself, remove one of these`,
  );
}
