import type { GatewayProblem, NamedCollision } from '@x/mcp-gateway';
import { UsageError } from '../command.js';
import { printableLine } from '../output/print.js';

const words = { tools: 'tool', prompts: 'prompt', resources: 'resource', resourceTemplates: 'resource template' };
const maxShown = 20;

/** For `--names as-is`. */
export function collisionError(collisions: readonly NamedCollision[]): UsageError {
  const count = collisions.length === 1 ? '1 name belongs' : `${collisions.length} names belong`;
  return new UsageError(`Unprefixed names cannot be served: ${count} to several servers.`, {
    details: linesOf(collisions),
    hint: 'Omit --names as-is, or name servers without collisions: mcpx serve <server…> --names as-is',
  });
}

/** For collisions that appear while serving. */
export function collisionProblem(collisions: readonly NamedCollision[]): GatewayProblem {
  const servers = [...new Set(collisions.flatMap((collision) => collision.servers))].join(', ');
  const message = `Names of several servers are served for the first server only, or not at all: ${linesOf(collisions).join('; ')}`;
  return { code: 'name-collision', server: servers, reason: 'found-later', message };
}

function linesOf(collisions: readonly NamedCollision[]): readonly string[] {
  const lines = collisions.map(
    ({ kind, name, servers, owner }) =>
      `${words[kind]} ${printableLine(name, 100)}: ${servers.join(', ')}${owner === undefined ? '' : `; served for ${owner}`}`,
  );
  const rest = lines.length - maxShown;
  return [...lines.slice(0, maxShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
}
