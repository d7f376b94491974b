import { BUILT_IN_TOOLS, type IsServer } from '@x/internal/names';
import type { AnySubject, PartSubject, RoleSubject, ServerSubject, ToolIdentity, ToolSubject } from '@x/internal/views';
import { orderInheritance, type RoleLayer } from './inheritance.js';
import { matchesResource } from './resource-pattern.js';
import { type RoleRule, type RoleRules, unmetHint } from './role-rule.js';
import { DenyPatterns, type KnownServers, matchesTool, namesServer, ToolPatterns } from './tool-pattern.js';

/** A decision, with its rule. */
export type RoleDecision =
  /** `pattern` of `rule` allows it. Without `rule` nothing is restricted. */
  | { readonly isAllowed: true; readonly rule?: RoleRule | undefined; readonly pattern?: string | undefined }
  | RoleRefusal;

/** A refusal, with its reason. */
export interface RoleRefusal {
  readonly isAllowed: false;
  readonly reason:
    | 'unknown-role'
    | 'not-listed'
    | 'denied'
    | 'annotations'
    | 'outside-group'
    | 'held-back'
    | 'intercepted';
  readonly rule?: RoleRule | undefined;
  /** With `denied`: the entry of `deniedTools`. With `annotations`: the missing declaration. */
  readonly pattern?: string | undefined;
  /** With `unknown-role`: the roles that exist, for operators. */
  readonly message?: string | undefined;
}

/** Decides about one tool, resource or prompt. Used by list, search, get, call and events alike. */
export type RolePolicy = (subject: RoleSubject) => RoleDecision;

/**
 * Compiles the rules of one role and of its ancestors. A role without rules may use nothing.
 *
 * A rule allows what its lists and parents allow, minus tools without its required annotations, and minus its own and
 * its ancestors' denials. A role may use what all of its rules allow, so a further rule only removes rights.
 *
 * @param servers - Names of all servers, or facts that are read at each decision. Decide which server an entry means. A
 * denial without a server also denies the resources and prompts of a server with a matching tool. Default: none is known,
 * so an entry that fits several servers (`a.b.c` fits `a` and `a.b`) applies to each of them.
 * @throws {TypeError} A rule inherits a role without rules, or itself.
 */
export function compileRole(
  rules: RoleRules,
  role: string,
  servers: KnownServers | readonly string[] = [],
): RolePolicy {
  const layers = orderInheritance(rules, [role]).map(compileLayer);
  const known = 'knows' in servers ? servers : knownByName(servers);
  const isServer: IsServer = (name) => known.knows(name);

  return (subject) => {
    const verdicts: Verdict[] = [];
    for (const layer of layers) verdicts.push(judgeRole(layer, { subject, servers: known, isServer }, verdicts));
    return verdicts.at(-1)?.decision ?? UNKNOWN_ROLE;
  };
}

function knownByName(names: readonly string[]): KnownServers {
  const isKnown = (name: string): boolean => names.includes(name);
  return { has: isKnown, knows: isKnown, toolsOf: () => undefined };
}

const UNKNOWN_ROLE: RoleDecision = Object.freeze({ isAllowed: false, reason: 'unknown-role' });

interface CompiledRule {
  readonly rule: RoleRule;
  readonly parents: readonly number[];
  readonly allowed: ToolPatterns;
  readonly denied: DenyPatterns;
}

/** The decision of a role or a rule, with facts for inheriting roles. */
interface Verdict {
  readonly decision: RoleDecision;
  /** Overrides every allowance. */
  readonly denial?: RoleRefusal | undefined;
  /** A part of the server is denied, so the server as a whole is not allowed. */
  readonly isPartDenied?: boolean | undefined;
  /** Allowed only because the whole server is. */
  readonly isImplied?: boolean | undefined;
}

function compileLayer({ rules }: RoleLayer): readonly CompiledRule[] {
  return rules.map(({ rule, parents }) => ({
    rule,
    parents,
    allowed: new ToolPatterns(rule.allowedTools),
    denied: new DenyPatterns(rule.deniedTools ?? []),
  }));
}

interface Question<Subject extends RoleSubject = RoleSubject> {
  readonly subject: Subject;
  readonly servers: KnownServers;
  readonly isServer: IsServer;
}

function judgeRole(rules: readonly CompiledRule[], question: Question, known: readonly Verdict[]): Verdict {
  const judged = rules.map((rule) =>
    judgeRule(
      rule,
      question,
      rule.parents.flatMap((place) => known[place] ?? []),
    ),
  );
  const [only] = judged;
  if (only !== undefined && judged.length === 1) return only;
  const refused = judged.find(({ decision }) => !decision.isAllowed);
  return {
    decision: (refused ?? judged[0])?.decision ?? UNKNOWN_ROLE,
    denial: judged.find(({ denial }) => denial !== undefined)?.denial,
    isPartDenied: judged.some(({ isPartDenied }) => isPartDenied),
    isImplied: judged.some(({ isImplied }) => isImplied),
  };
}

function judgeRule(compiled: CompiledRule, question: Question, parents: readonly Verdict[]): Verdict {
  const { subject } = question;
  const denial = denialOf(compiled, subject) ?? parents.find((parent) => parent.denial !== undefined)?.denial;
  if (!isTool(subject)) return judgePart(compiled, { ...question, subject }, parents, denial);
  return { decision: denial ?? judgeTool(compiled, { ...question, subject }, parents), denial };
}

function denialOf({ rule, denied }: CompiledRule, subject: RoleSubject): RoleRefusal | undefined {
  const pattern = isTool(subject) ? denied.find(subject) : denied.findWhole(subject.server);
  return pattern === undefined ? undefined : { isAllowed: false, reason: 'denied', rule, pattern };
}

function judgeTool(
  { rule, allowed }: CompiledRule,
  { subject, isServer }: Question<ToolSubject>,
  parents: readonly Verdict[],
): RoleDecision {
  const inherited = parents.find(({ decision }) => decision.isAllowed)?.decision;
  if (isBuiltIn(subject)) {
    // Built-in tools reach only what the role may use.
    return allowed.isEmpty ? (inherited ?? refuse('not-listed', rule)) : { isAllowed: true, rule };
  }
  const pattern = allowed.find(subject, isServer);
  if (pattern === undefined && inherited === undefined) return refuse('not-listed', rule);
  const unmet = unmetHint(rule.requiredAnnotations, subject.annotations);
  if (unmet !== undefined) return refuse('annotations', rule, `${unmet}: ${rule.requiredAnnotations?.[unmet]}`);
  return pattern === undefined && inherited !== undefined ? inherited : { isAllowed: true, rule, pattern };
}

/** A resource or prompt is allowed by itself or with its whole server. */
function judgePart(
  { rule, allowed, denied }: CompiledRule,
  question: Question<Exclude<RoleSubject, ToolSubject>>,
  parents: readonly Verdict[],
  denial: RoleRefusal | undefined,
): Verdict {
  const { subject, servers, isServer } = question;
  const isPartDenied =
    denied.findPart(subject.server, servers) !== undefined || parents.some((parent) => parent.isPartDenied);
  const verdict = { denial, isPartDenied };
  if (denial !== undefined) return { ...verdict, decision: denial };

  const own =
    subject.kind === 'any'
      ? findAny({ rule, allowed }, { ...question, subject })
      : findPart(rule, { ...question, subject });
  if (own !== undefined) return { ...verdict, decision: { isAllowed: true, rule, pattern: own } };
  const granted = parents.filter(({ decision }) => decision.isAllowed);
  const inherited = granted.find(({ isImplied }) => !isImplied);
  if (inherited !== undefined) return { ...verdict, decision: inherited.decision };

  const whole = allowed.findWhole(subject.server, isServer);
  const implied: RoleDecision | undefined =
    whole === undefined ? granted[0]?.decision : { isAllowed: true, rule, pattern: whole };
  const isWhole = !isPartDenied && Object.values(rule.requiredAnnotations ?? {}).every((value) => value === undefined);
  if (implied === undefined || !isWhole) return { ...verdict, decision: refuse('not-listed', rule) };
  return { ...verdict, decision: implied, isImplied: true };
}

function findPart(rule: RoleRule, { subject, isServer }: Question<PartSubject | ServerSubject>): string | undefined {
  if (subject.kind === 'server') return undefined;
  if (subject.kind === 'resource') {
    return rule.allowedResources?.find((pattern) => matchesResource(pattern, subject, isServer));
  }
  const identity = { server: subject.server, tool: subject.prompt };
  return rule.allowedPrompts?.find((pattern) => matchesTool(pattern, identity, isServer));
}

function findAny(
  { rule, allowed }: Pick<CompiledRule, 'rule' | 'allowed'>,
  { subject: { server }, servers, isServer }: Question<AnySubject>,
): string | undefined {
  return (
    allowed.findAny(server, isServer, servers.toolsOf(server)) ??
    rule.allowedResources?.find((pattern) => namesServer(pattern, server, isServer, 'uri')) ??
    rule.allowedPrompts?.find((pattern) => namesServer(pattern, server, isServer))
  );
}

function isTool(subject: RoleSubject): subject is ToolSubject {
  return subject.kind === undefined || subject.kind === 'tool';
}

function isBuiltIn({ server, tool }: ToolIdentity): boolean {
  return server === undefined && BUILT_IN_TOOLS.has(tool);
}

function refuse(reason: RoleRefusal['reason'], rule: RoleRule, pattern?: string): RoleRefusal {
  return { isAllowed: false, reason, rule, ...(pattern === undefined ? {} : { pattern }) };
}

/**
 * Restricts a policy to some servers. Native tools belong to no group; built-in tools reach only the remaining tools.
 *
 * @param policy - Default: everything is allowed.
 */
export function restrictToServers(policy: RolePolicy | undefined, servers: readonly string[]): RolePolicy {
  const group = new Set(servers);
  return (subject) => {
    return isInside(subject, group)
      ? (policy?.(subject) ?? { isAllowed: true })
      : { isAllowed: false, reason: 'outside-group' };
  };
}

function isInside(subject: RoleSubject, group: ReadonlySet<string>): boolean {
  if (subject.server !== undefined) return group.has(subject.server);
  return 'tool' in subject && BUILT_IN_TOOLS.has(subject.tool) && group.size > 0;
}
