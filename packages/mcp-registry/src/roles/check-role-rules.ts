import { refuseUnknown } from '@x/internal/options';
import { quote } from '@x/internal/text';
import { orderInheritance } from './inheritance.js';
import { type AnnotationHint, HINTS, type RequiredAnnotations, type RoleRule, type RoleRules } from './role-rule.js';

const LISTS = ['allowedTools', 'deniedTools', 'askBefore', 'allowedResources', 'allowedPrompts', 'inherits'] as const;
const KEYS: readonly string[] = ['role', ...LISTS, 'requiredAnnotations', 'isDefault'];
/** A hint must not reverse the meaning. */
const DENIES = /^(?:dis|block|forbid|exclu|restrict)/i;
const MEANT_TO_BE_READ =
  /^(?:allow|ask|approv|confirm|den[iy]|requir|inherit|default|disallow|block|forbid|exclu|permi|grant|restrict|tools)|tools$/i;

/**
 * An immutable copy of the rules.
 *
 * @throws {TypeError} naming the invalid rule, or roles that inherit one another or are all the default.
 */
export function checkRoleRules(rules: RoleRules): RoleRules {
  if (!Array.isArray(rules)) throw new TypeError('roles must be a list of rules { role, allowedTools }');
  const checked = rules.map((rule: RoleRule | null | undefined, index) => checkRule(rule, `roles[${index}]`));
  orderInheritance(checked, new Set(checked.map(({ role }) => role)));
  findDefaultRole(checked);
  return checked;
}

/** @throws {TypeError} Two roles are the default. */
export function findDefaultRole(rules: RoleRules): string | undefined {
  const [first, second] = new Set(rules.flatMap(({ role, isDefault }) => (isDefault === true ? [role] : [])));
  if (second === undefined) return first;
  throw new TypeError(`roles: both ${quote(first ?? '')} and ${quote(second)} are the default; one role can be`);
}

function checkRule(rule: RoleRule | null | undefined, at: string): RoleRule {
  if (typeof rule?.role !== 'string') throw new TypeError(`${at}.role must be a text`);
  for (const key of Object.keys(rule)) {
    if (KEYS.includes(key)) continue;
    // Other keys are allowed, but `denied_tools`, `blockedTools` and the like are mistakes.
    const others = MEANT_TO_BE_READ.test(key) ? 'refused' : 'ignored';
    refuseUnknown(key, DENIES.test(key) ? KEYS.filter((known) => known !== 'allowedTools') : KEYS, {
      where: `${at}.`,
      what: 'field',
      others,
    });
  }
  const lists = LISTS.map((key) => [key, checkList(rule[key], `${at}.${key}`, key === 'allowedTools')] as const);
  const { isDefault, requiredAnnotations } = rule;
  if (isDefault !== undefined && typeof isDefault !== 'boolean') {
    throw new TypeError(`${at}.isDefault must be true or false`);
  }
  return Object.freeze({
    ...rule,
    ...Object.fromEntries(lists.filter(([, list]) => list !== undefined)),
    ...(requiredAnnotations === undefined ? {} : { requiredAnnotations: checkHints(requiredAnnotations, at) }),
  });
}

function checkList(list: readonly string[] | undefined, at: string, isRequired: boolean) {
  if (list === undefined && !isRequired) return undefined;
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
    throw new TypeError(`${at} must be a list of texts`);
  }
  return Object.freeze([...list]);
}

function checkHints(hints: RequiredAnnotations, at: string): RequiredAnnotations {
  const entries = typeof hints === 'object' && hints !== null ? Object.entries(hints) : [['']];
  for (const [key, value] of entries) {
    if (HINTS.includes(key as AnnotationHint) && (value === undefined || typeof value === 'boolean')) continue;
    throw new TypeError(`${at}.requiredAnnotations must be { ${HINTS.join(', ')} }, each true or false`);
  }
  return Object.freeze({ ...hints });
}
