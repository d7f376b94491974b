import type { ToolSubject } from '@x/internal/views';
import type { Catalog } from '../catalog/catalog.js';
import type { RoleDecision } from './compile-role.js';
import { explainDecision, findWritten, type OfferedTools, type RoleExplanation } from './explain-role.js';
import type { RoleRules } from './role-rule.js';
import { notesFor, type RuleDiagnostic, type RuleSubjects } from './rule-diagnostics.js';

interface Explained {
  readonly catalog: Catalog;
  readonly subjects: RuleSubjects & OfferedTools;
  readonly rules: RoleRules;
  readonly decide: (subject: ToolSubject & { readonly name?: string }) => RoleDecision;
  readonly diagnostics: () => Promise<readonly RuleDiagnostic[]>;
}

/** Explains the decision about a role and a tool, as written by an operator. */
export async function explainTool(role: string, name: string, parts: Explained): Promise<RoleExplanation> {
  if (typeof role !== 'string') throw new TypeError(`role must be a text, got ${role}`);
  if (typeof name !== 'string') throw new TypeError(`tool must be a text, got ${name}`);
  const { catalog, subjects, rules, decide, diagnostics } = parts;
  const view = findWritten(name, catalog);
  const decision = decide(view ?? { server: undefined, tool: name });
  const explanation = explainDecision({ role, name, view, decision, tools: catalog.current.tools, subjects }, rules);
  const { isAllowed } = decision;
  const notes = notesFor({ role, view, isAllowed, diagnostics: await diagnostics() }, rules);
  return { ...explanation, message: [explanation.message, ...notes].join(' ') };
}
