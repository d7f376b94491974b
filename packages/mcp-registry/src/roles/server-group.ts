import { BUILT_IN_TOOLS } from '@x/internal/names';
import type { RoleSubject } from '@x/internal/views';
import type { RolePolicy } from './compile-role.js';

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
