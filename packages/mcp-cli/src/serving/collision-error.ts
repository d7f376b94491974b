import type { GatewayProblem, NamedCollision } from '@x/mcp-gateway';
import { UsageError } from '../exit-codes.js';
import { printableLine } from '../output/printable.js';

const words = { tools: 'tool', prompts: 'prompt', resources: 'resource', resourceTemplates: 'resource template' };
const maxShown = 20;

/** Why names cannot be served as they are, with every name that several servers use. */
export function collisionError(collisions: readonly NamedCollision[]): UsageError {
  const count = collisions.length === 1 ? '1 name belongs' : `${collisions.length} names belong`;
  return new UsageError(`Names cannot be served as they are: ${count} to several servers.`, {
    details: linesOf(collisions),
    hint: 'Leave --names as-is out, or name the servers that go together: mcpx serve <server…> --names as-is',
  });
}

/** The same of names that are served already, but for these. */
export function collisionProblem(collisions: readonly NamedCollision[]): GatewayProblem {
  const servers = [...new Set(collisions.flatMap((collision) => collision.servers))].join(', ');
  const message = `Names that several servers use are served of their first server alone, or not at all: ${linesOf(collisions).join('; ')}`;
  return { code: 'name-collision', server: servers, reason: 'found-later', message };
}

function linesOf(collisions: readonly NamedCollision[]): readonly string[] {
  const lines = collisions.map(
    ({ kind, name, servers, owner }) =>
      `${words[kind]} ${printableLine(name, 100)}: ${servers.join(', ')}${owner === undefined ? '' : `; it is of ${owner}`}`,
  );
  const rest = lines.length - maxShown;
  return [...lines.slice(0, maxShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
}
