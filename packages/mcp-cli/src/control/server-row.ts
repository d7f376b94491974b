import { memoryByGroup, type ServerStatus } from '@x/mcp-client-manager';
import type { Stack } from '../compose.js';
import type { ControlBase } from './control-base.js';
import { renameOptions } from './rename-options.js';
import type { ServerRow } from './reports.js';
import { requirementOf } from './requirement-of.js';

/** Rows with the memory of each server. */
export function serverRows(stack: Stack, statuses: readonly ServerStatus[], base: ControlBase): readonly ServerRow[] {
  const memory = memoryByGroup(new Set(statuses.flatMap(({ pid }) => (pid === undefined ? [] : [pid]))));
  return statuses.map((status) => serverRow(stack, status, base, memory));
}

export function serverRow(
  stack: Pick<Stack, 'config' | 'runsHere' | 'waitsForConsent'>,
  status: ServerStatus,
  { redact }: Pick<ControlBase, 'redact'>,
  memory?: ReadonlyMap<number, number>,
): ServerRow {
  const { pid, lastError, catalogProblems } = status;
  const memoryBytes = pid === undefined ? undefined : memory?.get(pid);
  const requirement = requirementOf(stack.config, status.name);
  return {
    ...status,
    catalogProblems: catalogProblems.map(redact),
    ...(lastError !== undefined && { lastError: redact(renameOptions(lastError)) }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(requirement !== undefined && { requirement }),
    ...(stack.waitsForConsent(status.name) && { waitsForConsent: true }),
    ...replacedIn(stack.config, status.name),
    ...(!stack.runsHere(status.name) && { runsElsewhere: true }),
  };
}

function replacedIn({ issues }: Stack['config'], server: string): Pick<ServerRow, 'replaces'> {
  const found = issues.find((issue) => issue.code === 'replaced-server' && issue.server === server);
  if (found?.code !== 'replaced-server') return {};
  const { file = '', line } = found.replaced;
  return { replaces: `${file}:${line}` };
}
