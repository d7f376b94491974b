import type { RefObject } from 'preact';
import type { Sample, ServerView, UsageRow } from '../../../src/dashboard/page-messages.js';
import { counted, formatBytes, formatDuration } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { StateChart } from '../parts/history-chart.js';
import { Sparkline } from '../parts/sparkline.js';
import { StateBadge } from '../parts/state-badge.js';
import type { ServerEntry } from './server-table.js';

export interface ServerCardProps extends ServerEntry {
  readonly samples: readonly Sample[];
  readonly now: number;
  readonly element: RefObject<HTMLLIElement | null>;
}

/** Summary of one server. */
export function ServerCard({ server, usage, href, isSelected, samples, now, element }: ServerCardProps) {
  const { name, lastError, state } = server;
  return (
    <li ref={element} class={isSelected ? 'card selected' : 'card'}>
      <div class="card-head">
        <a href={href} aria-current={isSelected ? 'true' : undefined}>
          <ForeignText text={name} />
        </a>
        <StateBadge server={server} />
      </div>
      <StateChart samples={samples} now={now} />
      {usage?.points && (
        <div class="card-use">
          <Sparkline values={usage.points} />
          <UseFacts usage={usage} />
        </div>
      )}
      <ul class="facts">
        {factsOf(server, now).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {lastError !== undefined && state !== 'running' && (
        <p class="error clamped">
          <ForeignText text={lastError} />
        </p>
      )}
    </li>
  );
}

function UseFacts({ usage: { calls, errors, p95Ms } }: { readonly usage: UsageRow }) {
  return (
    <span class="note">
      {counted(calls, 'call')} in 1 h
      {errors > 0 && (
        <>
          , <span class="error">{counted(errors, 'error')}</span>
        </>
      )}
      {p95Ms !== undefined && `, p95 ${formatDuration(p95Ms)}`}
    </span>
  );
}

function factsOf(server: ServerView, now: number): readonly string[] {
  const { tools, startedAt, restarts, memoryBytes, requirement, callsInFlight, disabled } = server;
  return [
    ...(disabled ? ['disabled'] : []),
    counted(tools, 'tool'),
    ...(startedAt === undefined ? [] : [`up ${formatDuration(Math.max(now - startedAt, 0))}`]),
    ...(memoryBytes === undefined ? [] : [formatBytes(memoryBytes)]),
    ...(callsInFlight === 0 ? [] : [`${callsInFlight} under way`]),
    ...(restarts === 0 ? [] : [counted(restarts, 'restart')]),
    ...(requirement === undefined ? [] : [requirement]),
  ];
}
