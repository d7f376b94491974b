import { BUILT_IN_TOOLS } from '@x/internal/names';
import type { RoleSubject } from '@x/internal/views';
import type { RolePolicy } from './compile-role.js';

/**
 * What a policy allows of some servers alone. Whoever may use one server of the group gets that one, not the group; an
 * empty group is nothing. Native tools belong to no server and so to no group; the built-in ones reach what is left.
 *
 * @param policy - Left out, everything is allowed.
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
