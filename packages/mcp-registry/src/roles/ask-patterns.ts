import type { ToolAnnotations } from '@x/internal/contracts';
import { BUILT_IN_TOOLS } from '@x/internal/names';
import type { ToolIdentity } from '@x/internal/views';
import { orderInheritance } from './inheritance.js';
import { DESTRUCTIVE, isDestructive, type RoleRules } from './role-rule.js';
import { DenyPatterns } from './tool-pattern.js';

interface AskedTool extends ToolIdentity {
  readonly annotations?: ToolAnnotations | undefined;
}

/** The entries of one `askBefore`. None means a tool of the registry itself. */
export class AskPatterns {
  readonly #named: DenyPatterns;
  readonly #asksForDestructive: boolean;

  constructor(patterns: readonly string[]) {
    this.#named = new DenyPatterns(patterns);
    this.#asksForDestructive = patterns.includes(DESTRUCTIVE);
  }

  find(tool: AskedTool): string | undefined {
    if (tool.server === undefined && BUILT_IN_TOOLS.has(tool.tool)) return undefined;
    const isMeant = this.#asksForDestructive && isDestructive(tool.annotations);
    return this.#named.find(tool) ?? (isMeant ? DESTRUCTIVE : undefined);
  }
}

/** `make` of all entries that apply to a role. The same value until the rules change. */
export function byRole<Made extends object>(
  rules: () => RoleRules,
  make: (entries: readonly string[]) => Made,
): (role: string | undefined) => Made {
  let from: RoleRules | undefined;
  let made = new Map<string | undefined, Made>();
  return (role) => {
    const all = rules();
    if (from !== all) made = new Map();
    from = all;
    const found = made.get(role) ?? make(role === undefined ? [] : askedBefore(all, role));
    made.set(role, found);
    return found;
  };
}

/** The entries of the role and of its ancestors. */
function askedBefore(rules: RoleRules, role: string): readonly string[] {
  const layers = orderInheritance(rules, [role]);
  return [...new Set(layers.flatMap((layer) => layer.rules.flatMap(({ rule }) => rule.askBefore ?? [])))].sort();
}
