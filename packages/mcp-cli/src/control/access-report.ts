import { nextTurn } from '@x/internal/async';
import type { Stack } from '../compose.js';
import { requireRole } from '../config/role-view.js';
import type { AccessCell, AccessReport, AccessRow } from './reports.js';

const pageSize = 50;

interface AccessRequest {
  readonly text?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What each role may use of the known tools, with reasons. Of two roles only the differences. Other work of the process
 * goes on between two tools.
 *
 * @throws {UsageError} The config has no such role.
 */
export async function accessReport(
  { registry, config }: Stack,
  { text = '', roles: given, offset = 0, signal }: AccessRequest,
): Promise<AccessReport> {
  const wanted = given && [...new Set(given)];
  for (const role of wanted ?? []) requireRole(config, role);
  const roles = wanted ?? [...new Set(config.roles.map(({ role }) => role))];
  const policies = roles.map((role) => registry.policy({ role }));
  const words = text.toLowerCase();
  const named = registry
    .list()
    .filter(({ name, server = 'mcpx', tool }) => `${name} ${server}.${tool}`.toLowerCase().includes(words));
  const fits = wanted?.length === 2 ? await differencesIn(named) : named;
  const start = Math.max(0, Math.floor(offset));
  const shown = roles.length === 0 ? [] : fits.slice(start, start + pageSize);
  const tools: AccessRow[] = [];
  for (const { name, server, tool } of shown) {
    const cells = await Promise.all(roles.map((role) => cellOf(registry, role, name)));
    tools.push({ name, tool, ...(server !== undefined && { server }), cells });
    await nextTurn();
    signal?.throwIfAborted();
  }
  return { roles, tools, total: fits.length };

  /** Tools that only one role may use, or that only one may use without an approval. */
  async function differencesIn<Tool extends (typeof named)[number]>(all: readonly Tool[]): Promise<readonly Tool[]> {
    const isAsking = config.roles.some(({ askBefore = [] }) => askBefore.length > 0);
    const found: Tool[] = [];
    for (const tool of all) {
      const [one, other] = policies.map((policy) => policy(tool).isAllowed);
      if (one !== other) found.push(tool);
      else if (one && isAsking) {
        const cells = await Promise.all(roles.map((role) => cellOf(registry, role, tool.name)));
        if (cells[0]?.decision !== cells[1]?.decision) found.push(tool);
        await nextTurn();
        signal?.throwIfAborted();
      }
    }
    return found;
  }
}

async function cellOf(registry: Stack['registry'], role: string, name: string): Promise<AccessCell> {
  const { decision, askedBy, message: reason } = await registry.explain(role, name);
  if (decision !== 'allowed') return { decision: 'denied', reason };
  return { decision: askedBy === undefined ? 'allowed' : 'asked', reason };
}
