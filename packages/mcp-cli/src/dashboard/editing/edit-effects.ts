import type { ServerStatus } from '@x/mcp-client-manager';
import type { ServerConfig } from '@x/mcp-config-schema';
import type { ReloadPlan } from '../../compose.js';
import { startsAutomatically } from '../../servers/server-rows.js';

interface Effects {
  readonly plan: ReloadPlan;
  /** Servers in effect. */
  readonly before: readonly ServerConfig[];
  readonly rows: readonly ServerStatus[];
  /** Consents that are stored with the edit. */
  readonly keepsConsent: ReadonlySet<string>;
}

/** What a reload would do, one sentence for each server or rule. */
export function effectsOf({ plan, before, rows, keepsConsent }: Effects): readonly string[] {
  const { report, servers, losesConsent } = plan;
  const statusOf = (name: string) => rows.find((row) => row.name === name);
  const changed = [...report.restarted, ...report.updated];
  const effects = [
    ...report.removed.map((name) => `“${name}” goes${isRunning(statusOf(name)) ? ', and its process ends' : ''}.`),
    ...report.added.map((name) => `“${name}” comes.`),
    ...changed.map((name) =>
      changeOf(name, {
        before: before.find((server) => server.name === name),
        after: servers.find((server) => server.name === name),
        status: statusOf(name),
        restarts: report.restarted.includes(name),
      }),
    ),
    ...losesConsent.map(({ server }) =>
      keepsConsent.has(server)
        ? `Your consent to “${server}” is stored for its entry with these lists of tools.`
        : `“${server}” stops, and needs your consent again: run “mcpx trust”.`,
    ),
    ...report.roles.map((role) => `The rules of the role “${role}” change.`),
    ...(report.settings ? ['Settings of all servers change.'] : []),
  ];
  if (effects.length === 0) return ['Nothing that runs changes.'];
  const others = servers.length - changed.length - report.added.length;
  return others > 0 ? [...effects, `Unchanged: ${others} other ${others === 1 ? 'server' : 'servers'}.`] : effects;
}

interface Change {
  readonly before: ServerConfig | undefined;
  readonly after: ServerConfig | undefined;
  readonly status: ServerStatus | undefined;
  readonly restarts: boolean;
}

function changeOf(name: string, { before, after, status, restarts }: Change): string {
  if (after?.disabled && !before?.disabled) {
    return `“${name}” ${isRunning(status) ? 'stops, ' : 'does not start any more, '}and its tools are not offered.${callsText(status)}`;
  }
  if (after && startsAutomatically(after) && !(before && startsAutomatically(before))) {
    return `“${name}” starts, if it has your consent and its variables are set.`;
  }
  const isManual = before !== undefined && startsAutomatically(before) && after && !startsAutomatically(after);
  if (isManual)
    return `“${name}” does not start by itself any more.${restarts && isRunning(status) ? ' It restarts now.' : ''}`;
  if (!isRunning(status)) return `“${name}” has the new values from its next start.`;
  if (restarts) return `“${name}” restarts.${callsText(status)}`;
  return `“${name}” goes on running, with the new values at once.`;
}

function isRunning(status: ServerStatus | undefined): boolean {
  return status !== undefined && status.state !== 'stopped' && status.state !== 'failed';
}

function callsText(status: ServerStatus | undefined): string {
  const calls = (status?.callsInFlight ?? 0) + (status?.callsQueued ?? 0);
  return calls === 0 ? '' : ` ${calls} ${calls === 1 ? 'call has' : 'calls have'} 10 seconds to finish.`;
}
