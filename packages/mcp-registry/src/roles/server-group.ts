import { BUILT_IN_TOOLS } from '@x/internal/names';
import type { RoleSubject } from '@x/internal/views';
import type { RolePolicy } from './compile-role.js';

/**
 * The decisions of a policy restricted to some servers. A role that may use one server of the group gets that one, not
 * the group; an empty group is empty. Native tools belong to no server and so to no group; the built-in ones reach
 * what is left.
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
