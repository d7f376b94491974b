import type { Sample, ServerView } from '../../../src/dashboard/page-messages.js';
import { counted, formatBytes, formatDuration } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { StateChart } from '../parts/history-chart.js';
import { StateBadge } from '../parts/state-badge.js';
import { routeTo } from '../use-route.js';

interface ServerCardProps {
  readonly server: ServerView;
  readonly samples: readonly Sample[];
  readonly isSelected: boolean;
  readonly now: number;
}

/** Summary of one server. */
export function ServerCard({ server, samples, isSelected, now }: ServerCardProps) {
  const { name, lastError, state } = server;
  return (
    <li class={isSelected ? 'card selected' : 'card'}>
      <div class="card-head">
        <a href={routeTo('servers', name)} aria-current={isSelected ? 'true' : undefined}>
          <ForeignText text={name} />
        </a>
        <StateBadge server={server} />
      </div>
      <StateChart samples={samples} now={now} />
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
