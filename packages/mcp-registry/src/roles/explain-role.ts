import { publicName, readName } from '@x/internal/names';
import { quote } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import type { Catalog } from '../catalog/catalog.js';
import { nearestNames } from '../catalog/nearest-names.js';
import { AskPatterns } from './ask-patterns.js';
import type { RoleDecision, RoleRefusal } from './compile-role.js';
import { unknownRole } from './compiled-rules.js';
import { orderInheritance } from './inheritance.js';
import type { RoleRule, RoleRules } from './role-rule.js';

/** Explanation of a decision. For operators: mentions hidden tools. */
export interface RoleExplanation {
  readonly role: string;
  readonly name: string;
  /** `unknown`: there is no such tool. `hidden`: the override of its server hides it from all roles. */
  readonly decision: 'allowed' | 'denied' | 'hidden' | 'unknown';
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly reason?: RoleRefusal['reason'] | undefined;
  /** The deciding rule as given; the first of several that allow. */
  readonly rule?: RoleRule | undefined;
  /** The deciding pattern, or the missing declaration. */
  readonly pattern?: string | undefined;
  /** With `allowed`: the entry of `askBefore` that has each call approved. */
  readonly askedBy?: string | undefined;
  readonly message: string;
}

export interface OfferedTools {
  /** Also the hidden ones. */
  readonly tools: readonly ToolView[];
  /** True if an override hides the tool. */
  readonly isHidden: (server: string, tool: string) => boolean;
}

interface ExplainedTool {
  /** Tools to suggest, if there is no such tool. */
  readonly tools?: readonly ToolView[] | undefined;
  readonly subjects?: OfferedTools | undefined;
  readonly role: string;
  readonly name: string;
  readonly view: ToolView | undefined;
  readonly decision: RoleDecision;
}

export function explainDecision(
  { role, name, view, decision, tools = [], subjects }: ExplainedTool,
  rules: RoleRules,
): RoleExplanation {
  const hidden = view === undefined && subjects ? findHidden(name, subjects) : undefined;
  if (hidden !== undefined) {
    const { server, tool } = hidden;
    const message = `The tool ${quote(tool)} of server ${quote(server ?? '')} is hidden from all roles, by its override in "tools".`;
    return { role, name, decision: 'hidden', server, tool, message };
  }
  if (view === undefined) {
    const names = nearestNames(name, tools).join(', ');
    const near = names && ` Near: ${names}.`;
    const hint =
      !decision.isAllowed && decision.reason === 'unknown-role' ? ` Besides, ${unknownRole(role, rules)}` : '';
    return {
      role,
      name,
      decision: 'unknown',
      message: `There is no tool named ${quote(name)} right now.${near}${hint}`,
    };
  }
  const { server, tool } = view;
  const what = server === undefined ? quote(tool) : `${quote(tool)} of server ${quote(server)}`;
  const { rule, pattern } = decision;
  const facts = {
    role,
    name,
    tool,
    ...(server !== undefined && { server }),
    ...(rule && { rule }),
    ...(pattern !== undefined && { pattern }),
  };
  const place = rule === undefined ? '' : describeRule(rule, role, rules);
  if (decision.isAllowed) {
    const why =
      pattern === undefined ? 'it reaches only what the role may use' : `${place} allows it with ${quote(pattern)}`;
    const asked = askedBefore(view, role, rules);
    return {
      ...facts,
      ...asked,
      decision: 'allowed',
      message: `The role ${quote(role)} may use ${what}: ${why}.${asked.message}`,
    };
  }
  const { reason } = decision;
  const why = reasonFor(reason, pattern, place, unknownRole(role, rules));
  return { ...facts, reason, decision: 'denied', message: `The role ${quote(role)} may not use ${what}: ${why}` };
}

/** Of the first rule that asks before calls of the tool. */
function askedBefore(view: ToolView, role: string, rules: RoleRules): Pick<RoleExplanation, 'askedBy' | 'message'> {
  for (const { rule } of orderInheritance(rules, [role]).flatMap((layer) => layer.rules)) {
    const askedBy = new AskPatterns(rule.askBefore ?? []).find(view);
    if (askedBy === undefined) continue;
    const message = ` Each call needs an approval: ${describeRule(rule, role, rules)} asks before ${quote(askedBy)}.`;
    return { askedBy, message };
  }
  return { message: '' };
}

/** By all spellings of rules; by its own name if unique. */
function findHidden(written: string, { tools, isHidden }: OfferedTools) {
  const hidden = tools.filter(({ server, tool }) => server !== undefined && isHidden(server, tool));
  const named = hidden.find(({ name, server, tool }) =>
    [name, `${server}.${tool}`, `${server}/${tool}`].includes(written),
  );
  const [only, ...others] = hidden.filter(({ tool }) => tool === written);
  return named ?? (others.length === 0 ? only : undefined);
}

function reasonFor(reason: RoleRefusal['reason'], pattern: string | undefined, place: string, roles: string): string {
  const reasons: Readonly<Record<RoleRefusal['reason'], string>> = {
    'not-listed': `${place} does not allow it.`,
    denied: `${place} denies it with ${quote(pattern ?? '')}.`,
    annotations: `${place} requires ${pattern}, and the tool does not say so of itself.`,
    'outside-group': 'its server is not in the group.',
    'held-back': 'its server waits for an approval.',
    intercepted: 'an interceptor hides it.',
    'unknown-role': roles,
  };
  return reasons[reason];
}

function describeRule(rule: RoleRule, role: string, rules: RoleRules): string {
  const owner = rule.role === role ? '' : ` of the role ${quote(rule.role)}, which it inherits,`;
  return `the rule at ${describePlace(rule, rules)}${owner}${rule.tool ? ` (tool ${quote(rule.tool)})` : ''}`;
}

/** Place of a rule, or its index. */
export function describePlace(rule: RoleRule, rules: RoleRules): string {
  const { source } = rule;
  if (source === undefined) return `roles[${rules.indexOf(rule)}]`;
  return `${source.file === undefined ? '' : `${source.file}:`}${source.line}:${source.column}`;
}

/** The tool of a name as in rules: the public name, `server.tool`, `server/tool`, or its own name if unique. */
export function findWritten(name: string, catalog: Catalog): ToolView | undefined {
  const view = catalog.find(name)?.view;
  if (view !== undefined) return view;
  const reading = readName(name, (server) => catalog.names.knows(server));
  if (reading?.part !== undefined) {
    const { server, part } = reading;
    const read = catalog.find(publicName(server, part))?.view;
    if (read?.server === server && read.tool === part) return read;
  }
  const [only, ...others] = catalog.current.tools.filter(({ tool }) => tool === name);
  return others.length === 0 ? only : undefined;
}
