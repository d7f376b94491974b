import type { ToolView } from '@x/internal/views';
import type { AmbiguousRule } from './ambiguous-rules.js';
import { orderInheritance } from './inheritance.js';
import type { RoleRules } from './role-rule.js';
import type { UnmatchedRule } from './rule-matches.js';
import { fitsTool } from './tool-pattern.js';

export type RuleDiagnostic = UnmatchedRule | AmbiguousRule;

const MAX_NOTES = 3;

export interface NotedTool {
  readonly role: string;
  readonly view: ToolView | undefined;
  readonly isAllowed: boolean;
  readonly diagnostics: readonly RuleDiagnostic[];
}

/**
 * At most three sentences: denials that match nothing, for allowed or unknown tools, and entries that fit the tool but
 * mean another server's.
 */
export function notesFor({ role, diagnostics, ...tool }: NotedTool, rules: RoleRules): readonly string[] {
  const own = new Set<object>(orderInheritance(rules, [role]).flatMap((layer) => layer.rules.map(({ rule }) => rule)));
  return diagnostics
    .filter((found) => own.has(found.rule) && isAbout(found, tool))
    .slice(0, MAX_NOTES)
    .map(({ message }) => `${message}.`);
}

function isAbout(found: RuleDiagnostic, { view, isAllowed }: Pick<NotedTool, 'view' | 'isAllowed'>): boolean {
  if (found.code === 'rule-matches-nothing') return found.list === 'deniedTools' && (isAllowed || view === undefined);
  if (found.list === 'deniedTools' || view?.server === undefined || view.server === found.server) return false;
  return fitsTool(found.pattern, view);
}
